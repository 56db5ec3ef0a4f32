import { AsyncResource } from 'node:async_hooks';
import { setTimeout as realSleep } from 'node:timers/promises';
import { hashesUnderWay } from '../../src/engine/base/file-hash.ts';
import { readingsUnderWay } from '../../src/engine/base/reader-process.ts';

/**
 * What Node calls work that the operating system or the thread pool still does for us. Sockets and ports that wait do
 * not count.
 */
const AT_WORK = /^(FSReq|CloseReq|FileHandle|GetAddrInfo|TCPConnect|Write|Shutdown)/;
/** Turns of the event loop in a row in which nothing started, before we believe that nothing will. */
const IDLE_TURNS = 5;
/** What a turn of the waiting loop itself starts: its immediate, and the resource that is counted. */
const OF_OUR_OWN = 2;
/** Real time given to bytes that are on their way between two sockets of this machine, ms. */
const ON_THE_WIRE_MS = 12;

/**
 * Resolves when nothing asynchronous goes on in this process any more: several turns of the loop in which no callback
 * started anything, no file is being worked on and no name is looked up. What then still waits, waits for the clock.
 */
export async function whenIdle(): Promise<void> {
  let previous = Number.NaN;
  for (let idle = 0; idle < IDLE_TURNS;) {
    await nextTurn();
    const started = newAsyncId();
    const nothingNew =
      started - previous <= OF_OUR_OWN &&
      hashesUnderWay() === 0 &&
      readingsUnderWay() === 0 &&
      !process.getActiveResourcesInfo().some((name) => AT_WORK.test(name));
    idle = nothingNew ? idle + 1 : 0;
    previous = started;
  }
}

/** The same for a process with requests under way, whose bytes the system may hand on a little later. */
export async function whenIdleOnTheWire(): Promise<void> {
  await whenIdle();
  const before = newAsyncId();
  await realSleep(ON_THE_WIRE_MS);
  // Something came in meanwhile, besides our own timer: look again, until nothing does.
  if (newAsyncId() - before > OF_OUR_OWN + 1) await whenIdleOnTheWire();
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Node numbers everything asynchronous as it starts, so two of these tell how much started between them. */
const newAsyncId = (): number => new AsyncResource('idle').asyncId();
