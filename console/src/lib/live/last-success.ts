/** When each project's errors were last read in this tab, in milliseconds. Only the browser writes to it. */
const times = new Map<number, number>();

export const lastSuccess = {
  remember: (projectId: number) => void times.set(projectId, Date.now()),
  of: (projectId: number): number | undefined => times.get(projectId),
};
