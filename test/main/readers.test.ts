import { fileURLToPath } from 'node:url';
import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { UtilityProcess } from 'electron';
import {
  readApart,
  ReaderEndedError,
  startReadersWith,
  type StartReader,
} from '../../src/engine/base/reader-process.ts';
import { type ParentPort, readersOfMain } from '../../src/main/engine-host.ts';
import { Readers } from '../../src/main/engine-link.ts';
import { UtilityProcessStandIn } from './electron/utility-process.ts';

const file = new URL('../support/endless-reader.ts', import.meta.url);
const forever = (): AbortSignal => new AbortController().signal;

describe('a process that reads files, in the app', () => {
  let readers: Readers;
  /** Each test has its own, since a process that waits for the next file is one of its entry. */
  let entry: URL;
  let tests = 0;
  let started: number;
  let before: StartReader;

  beforeEach(() => {
    started = 0;
    tests += 1;
    entry = new URL(`?${tests}`, file);
    const own = new Readers(() => {
      started += 1;
      return new UtilityProcessStandIn(fileURLToPath(file), {}) as unknown as UtilityProcess;
    });
    readers = own;
    const engine = new EventEmitter();
    const parent: ParentPort = {
      on: (event, listener) => void engine.on(event, listener),
      postMessage(message) {
        if (message.type !== 'startReader' && message.type !== 'endReader') return;
        // The process of an earlier test may end only now, by the number that one has here.
        own.handle(message, (data, port) => void engine.emit('message', { data, ports: port ? [port] : [] }));
      },
    };
    before = startReadersWith(readersOfMain(parent));
  });

  afterEach(() => {
    readers.endAll();
    startReadersWith(before);
  });

  it('is started by main, answers the engine, and reads the next file too', async () => {
    expect(await readApart(entry, 'echo', forever)).toBe('echo');
    expect(await readApart(entry, 'echo', forever)).toBe('echo');
    expect(started).toBe(1);
  });

  it('is ended at its time, however busy it is', async () => {
    const limit = new AbortController();
    const reading = readApart(
      entry,
      'loop',
      () => limit.signal,
      () => limit.abort(new Error('Too slow.')),
    );
    await expect(reading).rejects.toThrow('Too slow.');
    expect(await readApart(entry, 'echo', forever)).toBe('echo');
    expect(started).toBe(2);
  });

  it('that dies is an error of that file alone', async () => {
    const reading = readApart(entry, 'loop', forever, () => readers.endAll());
    await expect(reading).rejects.toThrow(ReaderEndedError);
    expect(await readApart(entry, 'echo', forever)).toBe('echo');
  });
});
