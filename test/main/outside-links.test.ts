import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { createOpenOutside, outsideAddress } from '../../src/main/lockdown.ts';
import { MemoryLog } from '../support/world.ts';
import { state } from './electron/index.ts';

describe('a link that leads outside', () => {
  const open = createOpenOutside(new MemoryLog());

  beforeEach(() => {
    state.opened.length = 0;
  });

  it('is followed once the person has read where to, and agreed', async () => {
    open('https://example.com/tasks?id=1');
    const [question] = state.dialogs;
    expect(question?.options).toMatchObject({
      message: 'Open example.com in your browser?',
      detail: 'https://example.com/tasks?id=1',
      // Return alone opens nothing.
      defaultId: 1,
      cancelId: 1,
    });
    expect(state.opened).toEqual([]);
    question?.press('Open');
    await setImmediate();
    expect(state.opened).toEqual(['https://example.com/tasks?id=1']);
  });

  it('is not followed otherwise', async () => {
    open('https://example.com/');
    state.dialogs[0]?.press('Cancel');
    await setImmediate();
    expect(state.opened).toEqual([]);
  });

  it('is asked about one at a time', async () => {
    open('https://example.com/1');
    open('https://example.com/2');
    expect(state.dialogs).toHaveLength(1);
    state.dialogs[0]?.press('Cancel');
    await setImmediate();
    open('https://example.com/3');
    expect(state.dialogs[0]?.options.detail).toBe('https://example.com/3');
    state.dialogs[0]?.press('Cancel');
    await setImmediate();
  });

  it.each([
    'http://example.com/',
    'https://example.com@evil.example/',
    'https://:secret@example.com/',
    'file:///etc/passwd',
    'smb://server/share',
    'ms-msdt:/id',
    'javascript:alert(1)',
    'dailies://app/',
    'mailto:ann@example.com',
    '//example.com/',
    '',
  ])('is none: %j', (address) => {
    expect(outsideAddress(address)).toBeNull();
    open(address);
    expect(state.dialogs).toEqual([]);
  });
});
