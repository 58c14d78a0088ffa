import { MailSchema, SendTestMailResponseSchema } from "@faultline/proto";
import type { Command } from "commander";
import { CommandFault, printMessage } from "./output.ts";
import { withService } from "./service.ts";

/** `faultline mail ...` */
export function mailCommands(program: Command): void {
  const mail = program.command("mail").description("mail of this installation");

  mail
    .command("status")
    .description("show whether mail is set up and works; the mail server and its last fault for administrators")
    .action(() =>
      withService(async (service) => {
        const answer = await service.notificationMail.getMail({}, service.call);
        if (answer.mail) printMessage(MailSchema, answer.mail);
      }),
    );

  mail
    .command("test")
    .description("send a test to your own address and show what the mail server said")
    .action(() =>
      withService(async (service) => {
        const tested = await service.notificationMail.sendTestMail({}, service.call);
        printMessage(SendTestMailResponseSchema, tested);
        if (!tested.accepted) throw new CommandFault(`The test was not sent. ${tested.answer}`);
      }),
    );
}
