import type { BrowserWindow, Dialog, SaveDialogOptions } from 'electron';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, textOf as textOfError } from '../../engine/base/errors.ts';
import type { Desktop } from '../desktop.ts';
import { say } from '../../contract/messages/words.ts';

/** An engine that has not answered after this time is the trouble to report, ms. */
const PATIENCE_MS = 20_000;

export interface SaveDiagnosticsParts {
  readonly desktop: Pick<Desktop, 'client' | 'clock' | 'dataFolder' | 'logger' | 'version'>;
  readonly dialog: Pick<Dialog, 'showErrorBox' | 'showSaveDialog'>;
  readonly window: () => BrowserWindow | null;
  readonly homeFolder: string;
  /** Where the dialogue begins. */
  readonly folder: string;
}

/** Asks where to, and writes down what helps to find a fault; also when the engine does not answer, and just then. */
export async function saveDiagnostics(parts: SaveDiagnosticsParts): Promise<void> {
  const { desktop, dialog, window, folder } = parts;
  const { fileName, text } = await textOf(parts);
  const options: SaveDialogOptions = {
    title: say('common.saveDiagnostics'),
    defaultPath: join(folder, fileName),
    filters: [{ name: say('desktop.textFiles'), extensions: ['txt'] }],
  };
  const parent = window();
  const { canceled, filePath } = await (parent
    ? dialog.showSaveDialog(parent, options)
    : dialog.showSaveDialog(options));
  if (canceled || filePath === '') return;
  try {
    await writeFile(filePath, text, { mode: 0o600 });
  } catch (error) {
    desktop.logger.warn('Diagnostics could not be saved', { reason: messageOf(error) });
    dialog.showErrorBox(
      say('desktop.diagnosticsFailed'),
      say('desktop.diagnosticsFailedDetail', { reason: textOfError(error) }),
    );
  }
}

async function textOf({ desktop, homeFolder }: SaveDiagnosticsParts): Promise<{ fileName: string; text: string }> {
  const { client, clock, dataFolder, version } = desktop;
  const answered = new AbortController();
  const late = clock.sleep(PATIENCE_MS, { signal: answered.signal }).then(
    () => null,
    () => null,
  );
  const told = await Promise.race([client.desktop.diagnostics().catch(() => null), late]);
  answered.abort();
  if (told) return told;
  // Looks into the database, which this process otherwise never loads.
  const { diagnosticsOf } = await import('../../host/diagnostics.ts');
  const text = await diagnosticsOf({ version, dataFolder, homeFolder, clock, key: null, at: null });
  return { fileName: 'dailies-diagnostics.txt', text };
}
