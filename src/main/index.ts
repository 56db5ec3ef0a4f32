import { app, crashReporter, dialog, protocol } from 'electron';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { messageOf } from '../engine/errors.ts';
import { dataFolderOf } from '../host/data-folder.ts';
import { processSurroundings } from '../host/process-surroundings.ts';
import { startApp } from './app.ts';
import { schemes } from './lockdown.ts';
import { OpeningsQueue, pathsIn } from './openings.ts';

/** What a second launch tells the first. */
const SecondLaunch = z.object({ paths: z.array(z.string()).max(1000) });

const dataFolder = dataFolderOf(undefined, processSurroundings());
const openings = new OpeningsQueue();
/** Without its own name in front, and without the folder it is run from while it is built, which is not always next. */
const paths = pathsIn(process.argv.slice(app.isPackaged ? 1 : 2), process.cwd()).filter(
  (path) => path !== app.getAppPath(),
);

app.setName('Dailies');
if (!makeOwnFolder()) {
  app.exit(1);
} else if (!app.requestSingleInstanceLock({ paths })) {
  // The launch that came first takes over what was to be opened.
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
  const { show } = startApp({ dataFolder, openings });
  app.on('second-instance', (_event, _argv, _cwd, given) => {
    const launch = SecondLaunch.safeParse(given);
    if (launch.success) openings.add(launch.data.paths);
    show();
  });
}

/** What nobody foresaw at the very start is told rather than thrown at the person. */
function giveUp(error: unknown): void {
  dialog.showErrorBox(
    'Dailies cannot start',
    `${messageOf(error)}\n\nInstall it again; your projects are not touched by that.`,
  );
  app.exit(1);
}

/**
 * What Chromium keeps lies in the data folder as well: whoever names another one has another app, with a lock of its own.
 * False when there can be no such folder, which the person is told.
 */
function makeOwnFolder(): boolean {
  const folder = join(dataFolder, 'window');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    app.setPath('userData', folder);
    return true;
  } catch (error) {
    const why = `Dailies keeps its data in ${dataFolder}, which cannot be made or used: ${messageOf(error)}.`;
    dialog.showErrorBox(
      'Dailies cannot start',
      `${why}\n\nMake it a folder that you may write to, and open Dailies again.`,
    );
    return false;
  }
}
