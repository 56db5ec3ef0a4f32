import { messageFor } from '../../../src/contract/messages/message.ts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SendError, sendFile } from '../../../src/renderer/lib/assets/send-file.ts';

const report = {
  ok: false,
  source: 'still.png',
  code: 'file_too_large',
  problem: 'The service takes no more than 10 MB.',
  remedy: 'Make it smaller.',
};
const target = { purpose: 'generation' };

/** In the desktop app, where `fetch` alone is given a body: what was sent is read as its scheme would. */
describe('a file that is handed over inside the desktop app', () => {
  const requests: { url: string; body: string; duplex: unknown }[] = [];
  let send: typeof sendFile;

  const answer = (give: () => Promise<Response>): void => {
    vi.stubGlobal('fetch', async (url: string, init: RequestInit & { duplex?: string }) => {
      requests.push({ url, duplex: init.duplex, body: await new Response(init.body).text() });
      init.signal?.throwIfAborted();
      return give();
    });
  };
  const sending = (change: Partial<Parameters<typeof sendFile>[0]> = {}) => {
    const sent: number[] = [];
    const file = new File(['twelve bytes'], 'still.png');
    const done = send({
      file,
      target,
      projectId: 'p1',
      signal: new AbortController().signal,
      onSent: (bytes) => sent.push(bytes),
      ...change,
    });
    return { sent, done };
  };

  beforeEach(async () => {
    vi.resetModules();
    vi.stubGlobal('location', { origin: 'dailies://app' });
    const nothing = () => undefined;
    vi.stubGlobal('window', { dailies: { pathOfFile: () => '', connect: nothing }, addEventListener: nothing });
    requests.length = 0;
    const { setLanguage: speak } = await import('../../../src/contract/messages/words.ts');
    await speak('en');
    ({ sendFile: send } = await import('../../../src/renderer/lib/assets/send-file.ts'));
  });
  afterEach(() => vi.unstubAllGlobals());

  it('goes as a stream, and is told how far it has got', async () => {
    answer(() => Promise.resolve(new Response('no', { status: 500 })));
    const { sent, done } = sending();
    await expect(done).rejects.toMatchObject({ trouble: { message: 'no', remedy: 'Upload it again.' } });
    expect(requests).toEqual([
      { url: '/upload?name=still.png&project=p1&purpose=generation', duplex: 'half', body: 'twelve bytes' },
    ]);
    expect(sent.at(-1)).toBe(12);
  });

  it('is refused in the words of Dailies', async () => {
    const told = { code: 'disk', text: 'The disk is full.', remedy: messageFor('remedy.removeCause') };
    answer(() => Promise.resolve(Response.json(told, { status: 409 })));
    const error = await sending().done.catch((caught: unknown) => caught as SendError);
    expect(error).toMatchObject({ trouble: { message: told.text, remedy: told.remedy, code: 'disk' } });
  });

  it('says so when it did not arrive, and when it was cancelled', async () => {
    answer(() => Promise.reject(new TypeError('Failed to fetch')));
    await expect(sending().done).rejects.toMatchObject({ message: expect.stringContaining('did not reach') as string });
    await expect(sending({ signal: AbortSignal.abort() }).done).rejects.toMatchObject({ message: 'Cancelled.' });
  });

  it('brings back what became of it', async () => {
    answer(() => Promise.resolve(Response.json(report)));
    expect(await sending().done).toEqual(report);
  });
});
