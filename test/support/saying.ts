import { expect } from 'vitest';
import { sayText, setLanguage, type Text } from '../../src/contract/messages/words.ts';

await setLanguage('en');

const isText = (received: unknown): received is Text =>
  typeof received === 'string' || (typeof received === 'object' && received !== null && 'key' in received);

declare module 'vitest' {
  interface Matchers<R extends void | Promise<void> = void | Promise<void>> {
    /** What a text says in English, whole or by a pattern. */
    saying(wanted: string | RegExp): R;
  }
}

expect.extend({
  saying(received: unknown, wanted: string | RegExp) {
    const words = isText(received) ? sayText(received) : `${String(received)}, which is no text`;
    const pass = typeof wanted === 'string' ? words === wanted : wanted.test(words);
    return { pass, message: () => `“${words}” ${pass ? 'says' : 'does not say'} ${String(wanted)}` };
  },
});

/** For `toThrow` and `rejects.toThrow`: an error of ours whose text says this. */
export const errorSaying = (wanted: string | RegExp): unknown =>
  expect.objectContaining({ text: expect.saying(wanted) as unknown });
