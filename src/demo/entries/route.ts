import type { Answer } from '../answer.ts';
import type { Call } from '../call.ts';
import type { ServiceParts } from '../service-parts.ts';

export interface Route {
  method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE';
  /** Segments; one that starts with a colon takes any value. */
  path: string;
  /** Signed media addresses and the control routes need no key. */
  open?: boolean;
  answer(call: Call, parts: ServiceParts, params: Record<string, string>): Answer | Promise<Answer>;
}

type Answering = Route['answer'];

export const get = (path: string, answer: Answering, more: Pick<Route, 'open'> = {}): Route => ({
  ...{ method: 'GET', path, answer },
  ...more,
});

export const post = (path: string, answer: Answering, more: Pick<Route, 'open'> = {}): Route => ({
  ...{ method: 'POST', path, answer },
  ...more,
});

/** The values of the colon segments, or null when the path is another one. */
export function matchPath(pattern: string, path: string): Record<string, string> | null {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [place, segment] of wanted.entries()) {
    const value = given[place] ?? '';
    if (segment.startsWith(':') && value !== '') params[segment.slice(1)] = value;
    else if (segment !== value) return null;
  }
  return params;
}
