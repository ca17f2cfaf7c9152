import { isGrpcServiceError } from '@temporalio/client';

/** The server's answer, or its absence, within an error of the client. Undefined where no call was made. */
export function grpcErrorIn(error: unknown): { code: number; details: string } | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (isGrpcServiceError(at)) return { code: at.code, details: at.details };
  }
  return undefined;
}
