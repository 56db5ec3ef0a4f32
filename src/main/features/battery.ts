import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PowerMonitor } from 'electron';
import { say } from '../../contract/messages/words.ts';
import { QUEUE, type Note } from './notifier.ts';
import type { Work } from './work.ts';

/** Whether this computer runs on its battery, as far as its system says. */
export function isOnBattery(monitor: Pick<PowerMonitor, 'isOnBatteryPower'>, platform: NodeJS.Platform): boolean {
  // Chromium has no look at the battery of Linux (power_monitor_device_source_stub.cc).
  return platform === 'linux' ? isDischarging('/sys/class/power_supply') : monitor.isOnBatteryPower();
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

export interface BatteryWarningParts {
  readonly isOnBattery: () => boolean;
  /** A person who looks at the window has read it there. */
  readonly isLookedAt: () => boolean;
  readonly show: (note: Note) => void;
}

/** Warns of work on battery: once each time, as soon as the person turns away from the window. */
export function warnOnBattery({ isOnBattery, isLookedAt, show }: BatteryWarningParts): (work: Work) => void {
  let isWarned = false;
  return ({ goesOn }) => {
    if (!goesOn || !isOnBattery()) isWarned = false;
    else if (!isWarned && !isLookedAt()) {
      isWarned = true;
      show({ title: say('notification.onBattery'), body: say('notification.onBatteryBody'), shows: QUEUE });
    }
  };
}
