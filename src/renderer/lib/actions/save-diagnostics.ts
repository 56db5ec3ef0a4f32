import { api } from '../client.ts';
import { downloadText } from '../files.ts';
import { toastError } from '../toasts.ts';

/** What helps to find a fault, as a file that a person can read before giving it away. */
export async function saveDiagnostics(): Promise<void> {
  try {
    const { fileName, text } = await api.desktop.diagnostics();
    downloadText(fileName, text);
  } catch (error) {
    toastError(error);
  }
}
