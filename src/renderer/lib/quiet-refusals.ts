import { QUIETLY, REFUSALS_HEADER, REFUSED_STATUS, STATUS_HEADER } from '../../contract/failure.ts';
import { requireProof } from '../web/pass.ts';

/** Sent with every call: refusals are no errors of this page, and must not appear in the browser's console as such. */
export const quietRefusals = { [REFUSALS_HEADER]: QUIETLY } as const;

/** A fetch that restores the status of refusals, which arrive as a success. A failed fetch is a lost connection. */
export async function fetchQuietly(request: Request, init?: RequestInit): Promise<Response> {
  const answer = await fetch(request, init).catch((error: unknown) => {
    if (error instanceof TypeError) requireProof();
    throw error;
  });
  if (answer.headers.get(STATUS_HEADER) !== String(REFUSED_STATUS)) return answer;
  return new Response(answer.body, { status: REFUSED_STATUS, headers: answer.headers });
}
