import type { DemoService } from '../demo/service.ts';
import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import type { DiagnosticsExtent } from '../contract/desktop.ts';
import type { Settings } from '../contract/settings.ts';
import { findFfmpeg } from '../engine/files/existing-paths.ts';
import { namesProxy, type AskSystem, routesFrom } from '../engine/api/proxies.ts';
import { toMessage } from '../engine/base/errors.ts';
import type { Engine } from '../engine/engine.ts';
import type { Clock, Disk, Logger, Ports } from '../engine/base/ports.ts';
import { freeBytes } from '../engine/files/existing-paths.ts';
import { SAMPLE_SERVICE, type Sample, type Services } from '../server/services.ts';
import { browserDesktop } from '../server/web/browser-desktop.ts';
import { toLogFile, machineId } from './data-folder.ts';
import { type Diagnosed, diagnosticsFor } from './diagnostics.ts';
import { accountKeys, type KeysOfEngine } from './key.ts';
import { createFileLogger } from './log-file.ts';
import { packageVersion, resourcesFolder } from './package-folder.ts';
import { messageService, NightMessages, type NightMessagesParts } from './messages/night-messages.ts';
import { createHostedStudio } from './studio.ts';
import { settingsStore } from './settings-file.ts';
import type { Environment } from './process-environment.ts';
import { tryRoom } from '../engine/files/project-files.ts';

export interface HostedEngineOptions {
  readonly dataFolder: string;
  readonly settings: Settings;
  /** The holder of the data folder, as other programs name it: `dailies serve`. */
  readonly command: string;
  readonly caller?: Services['caller'];
  /** Absent: the keys that are kept, as they are at the moment. */
  readonly keys?: KeysOfEngine;
  readonly power: Services['host']['power'];
  /** Called as long as the engine runs: whether anything goes on by itself. */
  readonly hasPendingWork?: NightMessagesParts['hasPendingWork'];
  readonly askSystem?: AskSystem;
  readonly appFacts?: Diagnosed['appFacts'];
  readonly sayAtOnce?: Ports['sayAtOnce'];
  readonly notify?: NonNullable<NightMessagesParts['notify']>;
}

export type HostedEngine = Awaited<ReturnType<typeof startHostedEngine>>;

/**
 * Starts the engine of a data folder for a program with a window: settings and key that can change while it runs, a log
 * without the key, the sample project, and all that the procedures of a window need. The queue does not run yet. Throws DataFolderInUseError.
 */
export async function startHostedEngine(machine: Environment, options: HostedEngineOptions) {
  const { dataFolder, command, caller = 'window', power, hasPendingWork, notify = null } = options;
  const { askSystem, appFacts, sayAtOnce } = options;
  const settings = settingsStore(dataFolder, options.settings);
  const keys = await accountKeys(machine, dataFolder, settings.get, options.keys ?? { kept: true });
  const logger = loggerWithout(dataFolder, keys.all);
  const routesTo = routesFrom(machine.env, askSystem);
  const engine = await machine.startEngine({
    dataFolder,
    machine: machineId(machine),
    settings: settings.get(),
    changedSettings() {
      const changed = settings.changedElsewhere();
      if (changed) {
        const found = keys.refresh().then(() => engine.keyChanged());
        found.catch((error: unknown) => logger.warn('The keys could not be read', { reason: toMessage(error) }));
      }
      return changed;
    },
    command,
    ports: {
      clock: machine.clock,
      logger,
      secrets: { apiKey: (accountId) => keys.of(accountId).current() },
      random: Math.random,
      disk: systemDisk(machine.platform, machine.clock),
      ...(sayAtOnce && { sayAtOnce }),
      routesTo,
      ffmpeg: () => findFfmpeg(machine.env),
    },
  });
  const sample = sampleKit(machine, dataFolder);
  const ways = { machine, settings: settings.get, routesTo, notify };
  const night = new NightMessages({ ...ways, engine, dataFolder, logger, hasPendingWork });
  const studio = createHostedStudio(machine, dataFolder, {
    engine,
    settings: settings.get,
    clock: machine.clock,
    logger,
  });
  const stop = async (): Promise<void> => {
    await studio.stop();
    await night.lookOnceMore();
    await Promise.all([engine.stop(), night.stop()]);
    await sample.stop();
  };
  try {
    if (caller === 'window') await goOnWithSample(engine, sample);
  } catch (error) {
    await stop();
    throw error;
  }
  night.follow();
  const { clock, homeFolder, platform } = machine;
  const version = packageVersion();
  const host = {
    version,
    dataFolder,
    homeFolder,
    clock,
    logger,
    power,
    freeBytes,
    proxyFor: async (address: string) => (await routesTo(new URL(address)))[0]?.host ?? null,
    sample: sample.open,
    diagnostics: (extent: DiagnosticsExtent) =>
      diagnosticsFor(
        {
          version,
          dataFolder,
          homeFolder,
          clock,
          keys: keys.all(),
          at: {
            engine,
            settings: settings.get(),
            keyState: keys.of().state(),
            routesTo,
            asksSystem: askSystem !== undefined && !namesProxy(machine.env),
          },
          ...(appFacts && { appFacts }),
        },
        extent,
      ),
  };
  const desktop = browserDesktop(platform, clock);
  const messages = messageService(ways, night);
  // For windows in browsers; an app adds its own `desktop`.
  const services: Omit<Services, 'stopping'> = {
    engine,
    settings,
    keys,
    host,
    desktop,
    messages,
    caller,
    studio: studio.service,
  };
  return { engine, services, studio, stop };
}

/** The log of this run, with the keys as they are at the moment taken out of every line. */
const loggerWithout = (dataFolder: string, keys: () => readonly string[]): Logger =>
  createFileLogger(toLogFile(dataFolder), (line) => keys().reduce((text, key) => text.replaceAll(key, '[key]'), line));

/** Takes of the sample project that an earlier run left unfinished need its service again. */
async function goOnWithSample(engine: Engine, sample: ReturnType<typeof sampleKit>): Promise<void> {
  const projects = await engine.views.projects();
  if (!projects.some(({ isSample, counts }) => isSample && counts.unfinished > 0)) return;
  engine.useService(SAMPLE_SERVICE, (await sample.open()).service);
}

export function sampleKit(machine: Environment, dataFolder: string) {
  let starting: Promise<DemoService> | null = null;
  return {
    /** Starts the demo service at the first call. Its tasks outlive it. */
    async open(): Promise<Sample> {
      starting ??= machine
        .startDemoService({ stateDir: join(dataFolder, 'sample-service') })
        .catch((error: unknown) => {
          // A full disk, for example: the next call tries again.
          starting = null;
          throw error;
        });
      const { url, apiKey } = await starting;
      const folder = join(resourcesFolder(), 'samples');
      const name = 'sample-shots.csv';
      return {
        service: { baseUrl: url, apiKey },
        projectFolder: join(dataFolder, 'Sample project'),
        list: { name, folder, bytes: await readFile(join(folder, name)) },
      };
    },
    async stop(): Promise<void> {
      await (await starting)?.stop();
    },
  };
}

/** A disk that was asked for room is not asked again for this long, ms: each try writes as much as is needed. */
const ASK_AGAIN_MS = 5 * 60_000;

/**
 * The disks of this machine. macOS leaves what it would delete for a program that writes ("purgeable") out of the bytes
 * that are free, so that a disk may only seem full: there, as many bytes as are needed are written first.
 */
export function systemDisk(platform: NodeJS.Platform, clock: Clock): Disk {
  if (platform !== 'darwin') return { freeBytes };
  const asked = new Map<string, { readonly at: number; readonly bytes: number; readonly fits: Promise<boolean> }>();
  return {
    freeBytes,
    makeRoom(folder, bytes) {
      const now = clock.now();
      const last = asked.get(folder);
      if (last && bytes <= last.bytes && now - last.at < ASK_AGAIN_MS) return last.fits;
      const fits = tryRoom(folder, bytes);
      asked.set(folder, { at: now, bytes, fits });
      return fits;
    },
  };
}
