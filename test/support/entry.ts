import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, fetch as fetchOver } from 'undici';

/** A window that was let in, as its page has it. */
export interface Entered {
  readonly address: string;
  readonly pass: string;
  /** For the `cookie` header. */
  readonly cookie: string;
}

/** The address in a text that opens a window, if there is one. */
export const entryIn = (text: string): string | null => /http:\/\/\S+#enter=[\w-]+/.exec(text)?.[0] ?? null;

/** Uses an address that opens a window, as the page does. */
export async function enter(entry: string): Promise<Entered> {
  const { origin, hash } = new URL(entry);
  const headers = { authorization: `Bearer ${hash.replace('#enter=', '')}` };
  const answer = await fetch(`${origin}/enter`, { method: 'POST', headers });
  if (!answer.ok) throw new Error(`${entry} opens nothing: ${await answer.text()}`);
  const [cookie = ''] = answer.headers.getSetCookie().map((text) => text.split(';')[0] ?? '');
  return { address: origin, pass: await answer.text(), cookie };
}

/** What a page of that window sends with each call. */
export const headersOf = ({ pass }: Entered): Record<string, string> => ({ authorization: `Bearer ${pass}` });

/** The socket of the engine that works in a data folder. */
export const socketIn = (dataFolder: string): string =>
  (JSON.parse(readFileSync(join(dataFolder, 'engine.json'), 'utf8')) as { socket: string }).socket;

/** Calls a procedure over a socket, as commands do. Returns the status, and what was answered. */
export async function callSocket(socketPath: string, name: string, input?: unknown) {
  const dispatcher = new Agent({ connect: { socketPath } });
  try {
    const answer = await fetchOver(`http://localhost/rpc/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ json: input }),
      dispatcher,
    });
    return { status: answer.status, json: ((await answer.json()) as { json: unknown }).json };
  } finally {
    await dispatcher.destroy();
  }
}
