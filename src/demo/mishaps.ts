import type { ServerResponse } from 'node:http';
import { Refusal, type Answer } from './answer.ts';
import type { Call } from './call.ts';
import { mediaSubject } from './entries/results.ts';
import type { Interceptor } from './exchange.ts';

/** Bytes of a file that arrive before it is cut off. */
const CUT_AFTER = 4096;

/** What a person may watch a run recover from. Each happens once, to the shot with that prompt; then `met` is true. */
export class Mishaps implements Interceptor {
  /** Its request is turned away for a second. */
  throttled = { prompt: '', met: false };
  /** Its file breaks off in the middle. */
  cutOff = { prompt: '', met: false };

  async answer(call: Call, respond: () => Promise<Answer>, response: ServerResponse): Promise<Answer | null> {
    if (call.method === 'POST' && strikes(this.throttled, JSON.stringify(call.body.json ?? call.body.form))) {
      const message = 'Too many requests. Wait before you ask again.';
      return new Refusal(429, 'rate_limit_exceeded', message, { retryAfterSeconds: 1 }).answer;
    }
    const answer = await respond();
    const prompt = mediaSubject(call.path, call.parts)?.task.wanted.prompt ?? '';
    if (!strikes(this.cutOff, JSON.stringify(prompt))) return answer;
    call.entry.status = answer.status;
    call.entry.ending = 'cut';
    response.writeHead(answer.status, { ...answer.headers, 'content-length': String(answer.body.length) });
    response.write(answer.body.subarray(0, CUT_AFTER), () => response.socket?.destroySoon());
    return null;
  }
}

function strikes(mishap: { readonly prompt: string; met: boolean }, json = ''): boolean {
  if (mishap.met || mishap.prompt === '' || !json.includes(JSON.stringify(mishap.prompt).slice(1, -1))) return false;
  mishap.met = true;
  return true;
}
