import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { CreateProjectResponse, DeleteClientKeyResponse } from "@faultline/proto";

type Tell = (request: MessageShape<DescMessage>, response: MessageShape<DescMessage>) => string;

/** A sentence about an act, made of its own request and response; never of a secret. */
function act<Request, Response>(tell: (request: Request, response: Response) => string): Tell {
  return (request, response) => tell(request as unknown as Request, response as unknown as Response);
}

/** The administrative acts, by method. Methods that change something and are not here say why in notAudited. */
export const audited: Readonly<Record<string, Tell>> = {
  "ProjectService.CreateProject": act(
    (_, { project }: CreateProjectResponse) => `Made the project ${project?.path} (${project?.projectId}).`,
  ),
  "ClientKeyService.CreateClientKey": act(() => "Made a client key."),
  "ClientKeyService.DeleteClientKey": act(
    (_, { clientKey }: DeleteClientKeyResponse) => `Deleted the client key ${clientKey?.keyId}.`,
  ),
};
