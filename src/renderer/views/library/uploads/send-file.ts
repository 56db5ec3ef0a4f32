import { UploadReport, type UploadTarget } from '../../../../contract/asset.ts';
import type { Trouble } from '../../../lib/client.ts';

interface SendFile {
  readonly file: File;
  readonly target: UploadTarget;
  readonly projectId: string | null;
  readonly signal: AbortSignal;
  /** Bytes that Dailies has taken in. */
  readonly onSent: (bytes: number) => void;
}

/** A file that was not taken in, with what to do next. */
export class SendError extends Error {
  readonly remedy: string;
  constructor({ message, remedy }: Trouble) {
    super(message);
    this.remedy = remedy;
  }
}

/**
 * Hands a file to Dailies, which brings it to the service. An XMLHttpRequest, since `fetch` does not tell how far a
 * body has got. Throws SendError.
 */
export function sendFile({ file, target, projectId, signal, onSent }: SendFile): Promise<UploadReport> {
  const query = new URLSearchParams({ name: file.name, ...(projectId !== null && { project: projectId }) });
  for (const [field, value] of Object.entries(target)) if (value !== undefined) query.set(field, value);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('PUT', `/upload?${query.toString()}`);
    request.setRequestHeader('x-dailies', '1');
    request.upload.onprogress = (event) => onSent(event.loaded);
    request.onload = () => {
      const report = UploadReport.safeParse(jsonOf(request.responseText));
      if (request.status === 200 && report.success) resolve(report.data);
      else reject(new SendError(refusalOf(request)));
    };
    request.onerror = () =>
      reject(
        new SendError({
          message: 'It did not reach Dailies, or the file could not be read.',
          remedy: 'See that Dailies runs and the file is where it was; then try again.',
        }),
      );
    request.onabort = () => reject(new SendError({ message: 'Cancelled.', remedy: '' }));
    signal.addEventListener('abort', () => request.abort());
    request.send(file);
  });
}

function refusalOf({ status, responseText }: XMLHttpRequest): Trouble {
  const told = jsonOf(responseText);
  if (typeof told === 'object' && told !== null && 'message' in told) {
    return { message: String(told.message), remedy: 'remedy' in told ? String(told.remedy) : '' };
  }
  return { message: responseText || `Dailies answered ${status}.`, remedy: 'Try again.' };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
