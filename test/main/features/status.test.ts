import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { t } from '../../../src/contract/messages/words.ts';
import { createKeepAwake, isDischarging, warnOnBattery } from '../../../src/main/features/power.ts';
import { createDock, toStatus } from '../../../src/main/features/status.ts';
import { createNotifier, toNote, reportEnds, type Note } from '../../../src/main/features/notifier.ts';
import type { Work } from '../../../src/main/features/work.ts';
import { BrowserWindow, Notification, state } from '../electron/index.ts';
import { SessionStandIn } from '../electron/session.ts';
import { aBatch, noCounts } from './support.ts';

const aWork = (change: Partial<Work> = {}): Work => ({
  run: noCounts,
  undecided: 0,
  paused: false,
  hasPendingWork: false,
  halted: null,
  ended: [],
  ...change,
});

describe('the dock', () => {
  const docked = (system: Parameters<typeof createDock>[1]) => {
    const window = new BrowserWindow({ webPreferences: { session: new SessionStandIn('a') } });
    const shown: string[] = [];
    const made = (): ReturnType<Parameters<typeof createDock>[0]['current']> => ({
      isFocused: () => window.focused,
      setProgressBar: (progress, options) => shown.push(`${progress} ${options?.mode}`),
      setOverlayIcon: (overlay, description) => shown.push(`${overlay === null ? 'no dot' : 'dot'} ${description}`),
    });
    let current = made();
    const dock = createDock({ current: () => current }, system);
    const close = (): void => void (current = null);
    const reopen = (): void => void (current = made());
    return { dock, window, shown, close, reopen };
  };

  it('shows how far the run is, and that it is paused', () => {
    const { dock, shown } = docked('linux');
    dock.show(aWork({ run: { ...noCounts, saved: 1, unfinished: 3 } }));
    dock.show(aWork({ run: { ...noCounts, saved: 2, unfinished: 2 }, paused: true }));
    dock.show(aWork({ run: { ...noCounts, saved: 4 } }));
    expect(shown).toEqual(['0.25 normal', '0.5 paused', '-1 none']);
  });

  it('counts what is undecided for as long as it is, and what failed until it was looked at', () => {
    const { dock, window } = docked('macos');
    const work = aWork({ run: { ...noCounts, failed: 2, unfinished: 1 }, undecided: 1 });
    dock.show(work);
    expect(state.badge).toBe(3);
    dock.looked();
    expect(state.badge).toBe(1);
    dock.show({ ...work, run: { ...noCounts, failed: 3 } });
    expect(state.badge).toBe(2);
    window.focused = true;
    dock.show({ ...work, run: { ...noCounts, failed: 5 }, undecided: 0 });
    expect(state.badge).toBe(0);
  });

  it('counts the failures of another run from zero', () => {
    const { dock } = docked('macos');
    dock.show(aWork({ run: { ...noCounts, failed: 4 } }));
    dock.looked();
    dock.show(aWork({ run: { ...noCounts, failed: 1, unfinished: 5 } }));
    expect(state.badge).toBe(1);
  });

  it('has a dot on Windows, where there is no number', () => {
    const { dock, shown } = docked('windows');
    dock.show(aWork({ undecided: 2 }));
    expect(shown.at(-1)).toBe('dot 2 need your attention');
    dock.show(aWork());
    expect(shown.at(-1)).toBe('no dot ');
  });

  it('has the dot again when the window is opened again', () => {
    const { dock, shown, close, reopen } = docked('windows');
    dock.show(aWork({ undecided: 2 }));
    close();
    dock.looked();
    shown.length = 0;
    reopen();
    dock.looked();
    dock.looked();
    expect(shown).toEqual(['dot 2 need your attention']);
  });
});

describe('the machine', () => {
  beforeEach(() => {
    Object.assign(state, { awake: [], held: 0 });
  });

  it('is kept awake from when it is needed to when it is not, with one hold at a time', () => {
    const awake = createKeepAwake(null);
    const held: number[] = [];
    for (const needed of [false, true, true, false, false, true]) {
      awake.need(needed);
      held.push(state.awake.length);
    }
    expect(held).toEqual([0, 1, 1, 0, 0, 1]);
    expect(state.awake).toEqual(['prevent-app-suspension']);
    expect(awake.state()).toBe(true);
  });

  it('is not said to be kept awake where the system does not hold it', () => {
    const awake = createKeepAwake(null);
    awake.need(true);
    state.awake = [];
    expect(awake.state()).toBeNull();
  });

  // What Electron starts there asks GNOME or a PowerManagement service over D-Bus, and has an id also where neither is
  // (https://github.com/aaddrick/claude-desktop-debian/issues/569).
  it('is kept awake by a lock of the system as well on Linux, whose word alone counts', () => {
    const needs: boolean[] = [];
    const helper = { state: null as boolean | null, need: (needed: boolean) => void needs.push(needed) };
    const awake = createKeepAwake(helper);
    awake.need(true);
    expect(awake.state()).toBeNull();
    helper.state = true;
    expect(awake.state()).toBe(true);
    awake.need(false);
    expect(needs).toEqual([true, false]);
    expect(state).toMatchObject({ awake: [], held: 1 });
  });
});

describe('a night on battery', () => {
  it('is warned of once, as soon as the person turns away, and again the next time', () => {
    const notes: Note[] = [];
    const now = { isOnBattery: true, isLookedAt: true };
    const notifier = { show: (note: Note) => void notes.push(note) };
    const tell = warnOnBattery(
      () => now.isLookedAt,
      notifier,
      () => now.isOnBattery,
    );
    tell(aWork({ hasPendingWork: true }));
    expect(notes).toEqual([]);
    now.isLookedAt = false;
    tell(aWork({ hasPendingWork: true }));
    tell(aWork({ hasPendingWork: true }));
    expect(notes.map(({ title }) => title)).toEqual([t('notification.onBattery')]);
    now.isOnBattery = false;
    tell(aWork({ hasPendingWork: true }));
    now.isOnBattery = true;
    tell(aWork({ hasPendingWork: true }));
    expect(notes).toHaveLength(2);
  });

  it('is nothing to warn of while no work goes on', () => {
    const notes: Note[] = [];
    const notifier = { show: (note: Note) => void notes.push(note) };
    const tell = warnOnBattery(
      () => false,
      notifier,
      () => true,
    );
    tell(aWork());
    expect(notes).toEqual([]);
  });

  it('is seen on Linux by the power supplies, and a mouse with an empty battery is none', () => {
    const folder = mkdtempSync(join(tmpdir(), 'dailies-power-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const supply = (name: string, facts: Record<string, string>): void => {
      mkdirSync(join(folder, name), { recursive: true });
      for (const [fact, value] of Object.entries(facts)) writeFileSync(join(folder, name, fact), `${value}\n`);
    };
    expect(isDischarging(join(folder, 'missing'))).toBe(false);
    supply('AC', { type: 'Mains', online: '0' });
    supply('hid-mouse-battery', { type: 'Battery', scope: 'Device', status: 'Discharging' });
    supply('BAT0', { type: 'Battery', status: 'Charging' });
    expect(isDischarging(folder)).toBe(false);
    supply('BAT0', { status: 'Discharging' });
    expect(isDischarging(folder)).toBe(true);
  });
});

describe('the end of a batch', () => {
  it('leads to what needs the person most', () => {
    expect(toNote(aBatch('a', { saved: 24, failed: 2 }))).toEqual({
      title: '“Day 1” is finished',
      body: '24 saved, 2 failed',
      shows: { type: 'show', view: 'review', projectId: 'film', detail: { batch: 'a' } },
    });
    expect(toNote(aBatch('a', { saved: 24, unknown: 1 }))).toMatchObject({
      title: '“Day 1” needs a decision',
      shows: { view: 'queue', detail: { of: 'film', batch: 'a' } },
    });
    expect(toNote(aBatch('a', { failed: 3 }))).toMatchObject({ shows: { view: 'queue' } });
  });

  it('is shown once for each batch, and not to a person who looks at it', () => {
    const notes: Note[] = [];
    let isLookedAt = true;
    const tell = reportEnds(() => isLookedAt, { show: (note) => void notes.push(note) });
    const work = aWork({ ended: [aBatch('a', { saved: 1 }), aBatch('b', { saved: 1 }, { name: 'Day 2' })] });
    tell(work);
    expect(notes).toEqual([]);
    isLookedAt = false;
    tell(work);
    tell(aWork());
    expect(notes.map(({ title }) => title)).toEqual(['“Day 1” is finished', '“Day 2” is finished']);
  });

  it('is also told of a queue that stopped before its time, once', () => {
    const notes: Note[] = [];
    const tell = reportEnds(() => false, { show: (note) => void notes.push(note) });
    const halted = aWork({ halted: 'The service rejected the key.' });
    for (const work of [aWork(), halted, halted, aWork(), halted]) tell(work);
    expect(notes).toHaveLength(2);
    expect(notes[0]).toMatchObject({
      title: t('message.stoppedTitle'),
      body: 'The service rejected the key.',
      shows: { view: 'queue' },
    });
  });

  it('is followed when the notification is clicked, and not where there are none', () => {
    const followed: Note[] = [];
    const failures: string[] = [];
    const note = toNote(aBatch('a', { saved: 1 }));
    const isSupported = vi.spyOn(Notification, 'isSupported').mockReturnValueOnce(false);
    onTestFinished(() => isSupported.mockRestore());
    const notifier = createNotifier((each) => followed.push(each), {
      warn: (_message, facts) => failures.push(String(facts?.['reason'])),
    });
    state.notifications = [];
    notifier.show(note);
    expect(state.notifications).toEqual([]);
    notifier.show(note);
    expect(state.notifications.map(({ options }) => options)).toEqual([{ title: note.title, body: note.body }]);
    state.notifications[0]?.emit('click');
    expect(followed).toEqual([note]);
    notifier.show(note);
    state.notifications[1]?.emit('failed', {}, 'Notifications are not allowed for this application');
    expect(failures).toEqual(['Notifications are not allowed for this application']);
  });
});

it.each([
  [null, 'Starting'],
  [aWork(), 'Queue is empty'],
  [aWork({ undecided: 2 }), 'Queue is empty, 2 decisions needed'],
  [aWork({ run: { ...noCounts, saved: 3, failed: 1, unfinished: 1200 } }), '4 of 1,204 takes'],
  [aWork({ run: { ...noCounts, saved: 3, unfinished: 1 }, paused: true }), 'Paused at 3 of 4 takes'],
  [aWork({ run: { ...noCounts, saved: 3, unknown: 1 }, undecided: 1 }), 'Done: 3 saved, 1 needs a decision'],
])('the line of the status icon of %j is %s', (work, line) => {
  expect(toStatus(work)).toBe(line);
});
