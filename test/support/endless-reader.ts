import { serveReader } from '../../src/engine/base/serve-reader.ts';

/** A reader as a harmful file makes one: busy for good, or larger and larger. */
serveReader<'loop' | 'grow' | 'echo'>(async function* (what): AsyncGenerator<string> {
  await Promise.resolve();
  if (what === 'loop') {
    yield 'begun';
    yield 'goes on';
    for (;;);
  }
  const memory: Buffer[] = [];
  while (what === 'grow') memory.push(Buffer.alloc(10_000_000, memory.length));
  yield what;
});
