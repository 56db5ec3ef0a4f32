import type { BrowserWindow, Clipboard, Dialog, SaveDialogOptions } from 'electron';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DiagnosticsExtent } from '../../contract/desktop.ts';
import { messageOf, textOf } from '../../engine/base/errors.ts';
import type { Desktop } from '../desktop.ts';
import { say } from '../../contract/messages/words.ts';

/** An engine that has not answered after this time is the trouble to report, ms. */
const PATIENCE_MS = 20_000;

interface DiagnosticsParts {
  readonly desktop: Pick<Desktop, 'client' | 'clock' | 'dataFolder' | 'logger' | 'version'>;
  readonly homeFolder: string;
  readonly appFacts: () => string[];
}

export interface SaveDiagnosticsParts extends DiagnosticsParts {
  readonly dialog: Pick<Dialog, 'showErrorBox' | 'showSaveDialog'>;
  readonly window: () => BrowserWindow | null;
  /** Where the dialogue begins. */
  readonly folder: string;
}

export interface CopyDiagnosticsParts extends DiagnosticsParts {
  readonly clipboard: Pick<Clipboard, 'writeText'>;
  readonly dialog: Pick<Dialog, 'showMessageBox'>;
}

/** Copies a short report that can be pasted into a public issue as it is. */
export async function copyDiagnostics(parts: CopyDiagnosticsParts): Promise<void> {
  const { text } = await reportOf(parts, 'short');
  await parts.clipboard.writeText(text);
  await parts.dialog.showMessageBox({
    type: 'info',
    message: say('desktop.diagnosticsCopied'),
    detail: say('desktop.diagnosticsCopiedDetail'),
    buttons: [say('common.ok')],
  });
}

/** Asks where to, and writes down what helps to find a fault; also when the engine does not answer, and just then. */
export async function saveDiagnostics(parts: SaveDiagnosticsParts): Promise<void> {
  const { desktop, dialog, window, folder } = parts;
  const { fileName, text } = await reportOf(parts, 'whole');
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
      say('desktop.diagnosticsFailedDetail', { reason: textOf(error) }),
    );
  }
}

/** The engine's report; where it does not answer, and that may be the trouble, what can be told without it. */
async function reportOf(
  { desktop, homeFolder, appFacts }: DiagnosticsParts,
  extent: DiagnosticsExtent,
): Promise<{ fileName: string; text: string }> {
  const { client, clock, dataFolder, version } = desktop;
  const answered = new AbortController();
  const late = clock.sleep(PATIENCE_MS, { signal: answered.signal }).then(
    () => null,
    () => null,
  );
  const told = await Promise.race([client.desktop.diagnostics({ extent }).catch(() => null), late]);
  answered.abort();
  if (told) return told;
  // Looks into the database, which this process otherwise never loads.
  const { diagnosticsOf } = await import('../../host/diagnostics.ts');
  const own = { version, dataFolder, homeFolder, clock, key: null, at: null };
  const text = await diagnosticsOf({ ...own, appFacts: () => Promise.resolve(appFacts()) }, extent);
  return { fileName: 'dailies-diagnostics.txt', text };
}
