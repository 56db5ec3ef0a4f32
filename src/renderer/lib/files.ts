import { t } from '../../contract/messages/words.ts';
import { toastError } from './toasts.ts';
import { api } from './client.ts';

export function base64Of(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(new Error(t('window.fileUnreadable')));
    reader.readAsDataURL(file);
  });
}

export function downloadText(fileName: string, text: string): void {
  // Spreadsheet programs take a CSV for UTF-8 only when it begins with this mark.
  const isList = fileName.endsWith('.csv');
  const content = isList ? ['\uFEFF', text.replace(/^\uFEFF/, '')] : [text];
  const type = `text/${isList ? 'csv' : 'plain'};charset=utf-8`;
  const url = URL.createObjectURL(new Blob(content, { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export async function saveDiagnostics(): Promise<void> {
  try {
    const { fileName, text } = await api.desktop.diagnostics();
    downloadText(fileName, text);
  } catch (error) {
    toastError(error);
  }
}
