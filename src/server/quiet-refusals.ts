import { QUIETLY, REFUSALS_HEADER, REFUSED_STATUS, STATUS_HEADER } from '../contract/refusals.ts';

/** The answer as `request` wants it: a refusal under cover of a success where it was asked for; see the contract. */
export function quietly(request: Request, answer: Response): Response {
  if (answer.status !== REFUSED_STATUS || request.headers.get(REFUSALS_HEADER) !== QUIETLY) return answer;
  const headers = new Headers(answer.headers);
  headers.set(STATUS_HEADER, String(answer.status));
  return new Response(answer.body, { status: 200, headers });
}
