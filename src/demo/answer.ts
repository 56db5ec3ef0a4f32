/** The answer of a route. `deliver.ts` decides how it reaches the client, whole or broken. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export function jsonAnswer(value: unknown, status = 200, headers: Record<string, string> = {}): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: Buffer.from(jsonText(value)),
  };
}

/** JSON with integers of any length. */
function jsonText(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? rawJson(String(part)) : part));
}

/** Not yet among TypeScript's declarations. */
const { rawJSON: rawJson } = JSON as unknown as { rawJSON: (text: string) => unknown };

export function textAnswer(text: string, contentType: string, status = 200): Answer {
  return { status, headers: { 'content-type': contentType }, body: Buffer.from(text) };
}

/** The page a gateway in front of the service shows when the service itself cannot answer. */
export function htmlPage(title: string): string {
  return `<!doctype html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`;
}

/** A request the service turns down. Becomes an ErrorResponse (reference: Errors). */
export class Refusal extends Error {
  readonly answer: Answer;

  constructor(
    status: number,
    code: string,
    message: string,
    {
      type = status >= 500 ? 'server_error' : 'invalid_request_error',
      retryAfterSeconds,
    }: { type?: string; retryAfterSeconds?: number } = {},
  ) {
    super(message);
    const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
    this.answer = jsonAnswer({ error: { message, type, code } }, status, headers);
  }
}

export const invalid = (code: string, message: string): Refusal => new Refusal(400, code, message);

export const addressExpired = (status = 403): Refusal =>
  new Refusal(status, 'address_expired', 'This address has expired. Ask the task for a new one.');
