import { app, crashReporter, dialog, protocol } from 'electron';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { toText } from '../engine/base/errors.ts';
import { dataFolderFor, languageSetting } from '../host/data-folder.ts';
import { processEnvironment } from '../host/process-environment.ts';
import { startApp } from './app.ts';
import { languageFor } from '../contract/messages/languages.ts';
import { OpenRequests, pathsIn } from './desktop.ts';
import { isWithoutSandbox, schemes, withoutSandbox } from './lockdown.ts';
import { systemLanguage } from './window.ts';
import { t, setLanguage } from '../contract/messages/words.ts';

const SecondLaunch = z.object({ paths: z.array(z.string()).max(1000) });

const machine = processEnvironment();
const dataFolder = dataFolderFor(undefined, machine);
const openings = new OpenRequests();
/** Without its own name in front, and without the folder it is run from while it is built, which is not always next. */
const paths = pathsIn(process.argv.slice(app.isPackaged ? 1 : 2), process.cwd()).filter(
  (path) => path !== app.getAppPath(),
);

app.setName('Dailies');
// Waited for here: Electron is ready once this module has run.
await setLanguage(languageFor([languageSetting(dataFolder), systemLanguage()]));
const trouble = makeOwnFolder() ?? (isWithoutSandbox(app, process.env) ? withoutSandbox() : null);
if (trouble !== null) {
  // Not at once: before it is ready, Electron shows nothing on Linux and writes to a terminal that no one sees.
  void app.whenReady().then(() => end(trouble));
} else if (!app.requestSingleInstanceLock({ paths })) {
  // The first launch opens the paths.
  app.exit();
} else {
  // Of a crash there is a file on this machine; it is sent nowhere.
  crashReporter.start({ uploadToServer: false });
  protocol.registerSchemesAsPrivileged(schemes);
  app.enableSandbox();
  openings.add(paths);
  // A Mac says so at any time, even before the app is ready.
  app.on('open-file', (event, path) => {
    event.preventDefault();
    openings.add([path]);
  });
  app.whenReady().then(start).catch(giveUp);
}

function start(): void {
  const { show } = startApp(dataFolder, openings, machine.env);
  app.on('second-instance', (_event, _argv, _cwd, given) => {
    const launch = SecondLaunch.safeParse(given);
    if (launch.success) openings.add(launch.data.paths);
    show();
  });
}

function giveUp(error: unknown): void {
  end(t('desktop.cannotStartDetail', { reason: toText(error) }));
}

function end(why: string): void {
  dialog.showErrorBox(t('desktop.cannotStart'), why);
  app.exit(1);
}

/** Chromium keeps files in the data folder, so each has an own lock. Returns why it cannot be made, or null. */
function makeOwnFolder(): string | null {
  const folder = join(dataFolder, 'window');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    app.setPath('userData', folder);
    return null;
  } catch (error) {
    const why = t('shell.dataFolderUnusable', { folder: dataFolder, reason: toText(error) });
    dropLogs();
    return `${why}\n\n${t('desktop.dataFolderHint')}`;
  }
}

/** Chromium keeps something even to show one dialogue; it is not to make a folder of its choice among the person's. */
function dropLogs(): void {
  try {
    app.setPath('userData', mkdtempSync(join(tmpdir(), 'dailies-')));
  } catch {
    // Then Chromium finds a place, or none; the dialogue is what matters.
  }
}
