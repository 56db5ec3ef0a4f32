import { app, clipboard, dialog, type SaveDialogOptions } from 'electron';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DiagnosticsExtent } from '../../contract/desktop.ts';
import { toMessage, toText } from '../../engine/base/errors.ts';
import { orLate } from '../../engine/base/time-limit.ts';
import type { Desktop } from '../desktop.ts';
import { t } from '../../contract/messages/words.ts';

/** An engine that has not answered after this time is the trouble to report, ms. */
const TIMEOUT_MS = 20_000;

type Asked = Pick<Desktop, 'client' | 'clock' | 'dataFolder' | 'logger' | 'version' | 'window'>;

export async function copyDiagnostics(desktop: Asked): Promise<void> {
  const { text } = await reportFor(desktop, 'short');
  await clipboard.writeText(text);
  await dialog.showMessageBox({
    type: 'info',
    message: t('desktop.diagnosticsCopied'),
    detail: t('desktop.diagnosticsCopiedDetail'),
    buttons: [t('common.ok')],
  });
}

/** Asks where to, and writes down what helps to find a fault; also when the engine does not answer, and just then. */
export async function saveDiagnostics(desktop: Asked): Promise<void> {
  const { fileName, text } = await reportFor(desktop, 'whole');
  const options: SaveDialogOptions = {
    title: t('common.saveDiagnostics'),
    defaultPath: join(app.getPath('documents'), fileName),
    filters: [{ name: t('common.text'), extensions: ['txt'] }],
  };
  const parent = desktop.window.current();
  const { canceled, filePath } = await (parent
    ? dialog.showSaveDialog(parent, options)
    : dialog.showSaveDialog(options));
  if (canceled || filePath === '') return;
  try {
    await writeFile(filePath, text, { mode: 0o600 });
  } catch (error) {
    desktop.logger.warn('Diagnostics could not be saved', { reason: toMessage(error) });
    dialog.showErrorBox(
      t('desktop.diagnosticsFailed'),
      t('desktop.diagnosticsFailedDetail', { reason: toText(error) }),
    );
  }
}

/** The engine's report; where it does not answer, and that may be the trouble, what can be told without it. */
async function reportFor(
  { client, clock, dataFolder, version }: Asked,
  extent: DiagnosticsExtent,
): Promise<{ fileName: string; text: string }> {
  const asked = client.desktop.diagnostics({ extent }).catch(() => null);
  const told = await orLate(clock, TIMEOUT_MS, asked, null);
  if (told) return told;
  // Looks into the database, which this process otherwise never loads.
  const { diagnosticsFor: diagnosticsOf } = await import('../../host/diagnostics.ts');
  const own = { version, dataFolder, homeFolder: app.getPath('home'), clock, keys: [], at: null };
  const text = await diagnosticsOf({ ...own, appFacts: () => Promise.resolve(appFacts()) }, extent);
  return { fileName: 'dailies-diagnostics.txt', text };
}

/** What only the app's main process knows of where it runs, as lines of the diagnostics. */
export function appFacts({ env, platform }: Pick<NodeJS.Process, 'env' | 'platform'> = process): string[] {
  const session = `Session: ${env['XDG_SESSION_TYPE'] ?? 'of unknown type'}, ${env['XDG_CURRENT_DESKTOP'] ?? 'unknown desktop'}`;
  const gpu = Object.entries(app.getGPUFeatureStatus()).map(([feature, status]) => `${feature} ${String(status)}`);
  return [
    ...(platform === 'linux' ? [session] : []),
    `Languages of the system: ${app.getPreferredSystemLanguages().join(', ')}`,
    ...(app.runningUnderARM64Translation ? ['Translated from another processor by the system.'] : []),
    `GPU: ${gpu.join(', ')}`,
  ];
}
