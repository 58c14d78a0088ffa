/** The names of Faultline on the servers. Installations that share servers have an account each. */
export const intakeStream = "FAULTLINE_INTAKE";
export const intakeSubject = "faultline.intake";

/** The one consumer of the intake: all workers pull from it. */
export const storeConsumer = "store";

export const deadLetterStream = "FAULTLINE_DEAD_LETTERS";

/** The last token is the project; 0 where none is known. */
export const deadLetterSubject = (projectId: number) => `faultline.dead-letters.${projectId}`;
export const deadLetterSubjects = "faultline.dead-letters.*";
