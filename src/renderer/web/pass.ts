import { t } from '../../contract/messages/words.ts';
/**
 * How a window in a browser is let in, and speaks with none but the host that let it in. The desktop app has none of this:
 * its page speaks over a port.
 *
 * The address that opens a window holds a code, behind the `#` that browsers never send. The page exchanges it for the pass
 * of this run of the host, which goes with every call as a header: unlike a cookie, no other port of this machine is ever
 * sent it. All tabs of this origin share it, so that a second one opens, and one of an earlier run goes on once a new one was
 * let in; to the next run it is worth nothing. Before the page says anything, at its start and after each loss of the
 * connection, the host proves that it gave that pass: another program may have taken the port since.
 */

const KEPT_AS = 'dailies-pass';
const CODE = /^#enter=([\w-]+)$/;

/** What answers at this address is not the run of Dailies that let this window in. */
export class NotOurHostError extends Error {
  constructor() {
    super(t('window.earlierRun'));
  }
}

let proven: Promise<void> | null = null;

/** Takes a code out of the address and uses it. Returns whether this window has been let in, now or before. */
export async function enter(): Promise<boolean> {
  const [, code] = CODE.exec(location.hash) ?? [];
  if (code !== undefined) {
    history.replaceState(null, '', location.pathname);
    const answer = await fetch('/enter', { method: 'POST', headers: { authorization: `Bearer ${code}` } });
    // A code that was used up by then is no reason to lose a pass that is good.
    if (answer.ok) localStorage.setItem(KEPT_AS, await answer.text());
  }
  return localStorage.getItem(KEPT_AS) !== null;
}

/** Whether the address asks for a window to be let in: it was typed or pasted into one that is open. */
export const asksToEnter = (): boolean => CODE.test(location.hash);

/** What a call shows, once the host has shown who it is. Throws NotOurHostError, and whatever `fetch` throws. */
export async function passHeaders(): Promise<Record<string, string>> {
  const pass = localStorage.getItem(KEPT_AS) ?? '';
  proven ??= prove(pass);
  try {
    await proven;
  } catch (error) {
    proven = null;
    throw error;
  }
  return { authorization: `Bearer ${pass}` };
}

/** The connection was lost: who answers next has to prove who it is. */
export function requireProof(): void {
  proven = null;
}

async function prove(pass: string): Promise<void> {
  if (pass === '') throw new NotOurHostError();
  const challenge = crypto.randomUUID();
  const answer = await fetch(`/prove?challenge=${challenge}`, { method: 'POST', credentials: 'omit' });
  if (!answer.ok || (await answer.text()) !== (await proofFor(pass, challenge))) throw new NotOurHostError();
}

async function proofFor(pass: string, challenge: string): Promise<string> {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const how = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytes(pass), how, false, ['sign']);
  const proof = new Uint8Array(await crypto.subtle.sign(how.name, key, bytes(`dailies host ${challenge}`)));
  return btoa(String.fromCharCode(...proof))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
