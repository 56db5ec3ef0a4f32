import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { powerMonitor, powerSaveBlocker } from 'electron';
import type { AwakeHelper, KeptAwake } from '../../host/awake-helper.ts';
import { t } from '../../contract/messages/words.ts';
import { QUEUE, type Notifier } from './notifier.ts';
import type { Work } from './work.ts';

export function isOnBattery(): boolean {
  // Chromium has no look at the battery of Linux (power_monitor_device_source_stub.cc).
  return process.platform === 'linux' ? isDischarging('/sys/class/power_supply') : powerMonitor.isOnBatteryPower();
}

/** Whether a battery among the power supplies of a Linux machine is being emptied. Those of mice are not meant. */
export function isDischarging(folder: string): boolean {
  const fact = (supply: string, name: string): string => readFileSync(join(folder, supply, name), 'utf8').trim();
  const isEmptied = (supply: string): boolean => {
    try {
      return fact(supply, 'type') === 'Battery' && fact(supply, 'status') === 'Discharging' && !isOfDevice(supply);
    } catch {
      return false;
    }
  };
  const isOfDevice = (supply: string): boolean => {
    try {
      return fact(supply, 'scope') === 'Device';
    } catch {
      return false;
    }
  };
  try {
    return readdirSync(folder).some(isEmptied);
  } catch {
    return false;
  }
}

/** Warns of work on battery: once each time, as soon as the person turns away from the window, where they have read it. */
export function warnOnBattery(
  isLookedAt: () => boolean,
  notifier: Notifier,
  isEmptying = isOnBattery,
): (work: Work) => void {
  let isWarned = false;
  return ({ hasPendingWork }) => {
    if (!hasPendingWork || !isEmptying()) isWarned = false;
    else if (!isWarned && !isLookedAt()) {
      isWarned = true;
      notifier.show({ title: t('notification.onBattery'), body: t('notification.onBatteryBody'), shows: QUEUE });
    }
  };
}

/**
 * Keeps the machine from falling asleep while it is needed, and not a moment longer. The display may go dark. With a helper
 * on Linux: Electron asks the desktop there, which may not listen (Sway, Hyprland, Niri) and never answers. Null where the
 * system itself holds what Electron asks for.
 */
export function createKeepAwake(helper: AwakeHelper | null) {
  let id: number | null = null;
  return {
    state(): KeptAwake {
      if (id === null) return false;
      if (helper) return helper.state;
      return powerSaveBlocker.isStarted(id) ? true : null;
    },
    need(needed: boolean): void {
      if (needed === (id !== null)) return;
      helper?.need(needed);
      if (id !== null) powerSaveBlocker.stop(id);
      id = needed ? powerSaveBlocker.start('prevent-app-suspension') : null;
    },
  };
}
