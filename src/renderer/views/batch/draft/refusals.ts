import { ORPCError } from '@orpc/client';
import { EngineGoneError } from '../../../lib/port-link.ts';
import { NotOurHostError } from '../../../web/pass.ts';

/** What the engine calls its refusal; null for any other failure. */
export function refusalCode(error: unknown): string | null {
  if (!(error instanceof ORPCError)) return null;
  const data: unknown = error.data;
  return typeof data === 'object' && data !== null && 'code' in data ? String(data.code) : null;
}

/** No answer came, or one that is not about what was asked: the engine does not know this window any more. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof TypeError ||
  error instanceof EngineGoneError ||
  error instanceof NotOurHostError ||
  (error instanceof ORPCError && error.status === 401);
