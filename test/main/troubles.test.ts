import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { createTroubles, watchForFailures } from '../../src/main/troubles.ts';
import { MemoryLog } from '../support/world.ts';
import { state } from './electron/index.ts';

const inUse = { code: 'data_folder_in_use', message: '“dailies run” works here.', remedy: 'Dailies opens by itself.' };
const full = { code: 'disk', message: 'The disk is full.', remedy: 'Make room on it.' };

describe('the message for the person', () => {
  let done: string[];
  let troubles: ReturnType<typeof createTroubles>;
  const shown = () => state.dialogs.map(({ options: { message, detail, buttons } }) => ({ message, detail, buttons }));
  const press = async (button: string): Promise<void> => {
    state.dialogs[0]?.press(button);
    await setImmediate();
  };

  beforeEach(() => {
    state.dialogs = [];
    done = [];
    troubles = createTroubles({ tryAgain: () => void done.push('again') }, { begin: () => void done.push('quit') });
  });

  it('is why there is no engine, with what to do, and both ways on', async () => {
    troubles.couldNotStart(full);
    expect(shown()).toEqual([{ message: full.message, detail: full.remedy, buttons: ['Try again', 'Quit'] }]);
    await press('Try again');
    troubles.couldNotStart(full);
    await press('Quit');
    expect(done).toEqual(['again', 'quit']);
  });

  it('is said once of a folder in use, and taken back as soon as it is free', async () => {
    troubles.couldNotStart(inUse);
    troubles.couldNotStart(inUse);
    expect(shown()).toEqual([{ message: inUse.message, detail: inUse.remedy, buttons: ['Wait', 'Quit'] }]);
    troubles.over();
    await setImmediate();
    expect(shown()).toEqual([]);
    expect(done).toEqual([]);
  });

  it('is not shown again to a person who waits, unless they open the app again', async () => {
    troubles.couldNotStart(inUse);
    await press('Wait');
    troubles.couldNotStart(inUse);
    expect(shown()).toEqual([]);
    troubles.remind();
    troubles.couldNotStart(inUse);
    expect(shown()).toHaveLength(1);
    await press('Quit');
    expect(done).toEqual(['quit']);
  });
});

it('a failure that nothing foresaw is noted each time, and told once without its insides', async () => {
  state.dialogs = [];
  const log = new MemoryLog();
  const process = new EventEmitter() as unknown as NodeJS.Process;
  const done: string[] = [];
  watchForFailures(process, log, { begin: () => void done.push('quit') });
  process.emit('uncaughtException', new Error('secret insides'));
  process.emit('unhandledRejection', new Error('more insides'), Promise.resolve());
  expect(log.lines).toHaveLength(2);
  expect(state.dialogs).toHaveLength(1);
  expect(JSON.stringify(state.dialogs[0]?.options)).not.toContain('insides');
  state.dialogs[0]?.press('Quit');
  await setImmediate();
  expect(done).toEqual(['quit']);
});
