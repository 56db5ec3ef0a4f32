import { Refused } from '../../../contract/failure.ts';
import { t, saySentences } from '../../../contract/messages/words.ts';
import { UploadReport, type UploadTarget } from '../../../contract/asset.ts';
import { parsedJson } from '../../../contract/json.ts';
import { bridge, callHeaders, type Trouble } from '../client.ts';

interface SendFile {
  readonly file: File;
  readonly target: UploadTarget;
  readonly projectId: string | null;
  readonly signal: AbortSignal;
  readonly onSent: (bytes: number) => void;
}

export class SendError extends Error {
  readonly trouble: Trouble;
  constructor(trouble: Trouble) {
    super(saySentences(trouble.message, trouble.remedy));
    this.trouble = trouble;
  }
}

/** Hands a file to Dailies, which brings it to the service. Throws SendError. */
export function sendFile(sending: SendFile): Promise<UploadReport> {
  return bridge ? sendAsStream(sending) : sendByRequest(sending);
}

/**
 * In the desktop app, whose scheme of its own is given a body by `fetch` alone, and a stream of it: a file that is given
 * whole would be read into memory at once.
 */
async function sendAsStream({ file, target, projectId, signal, onSent }: SendFile): Promise<UploadReport> {
  let sent = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      sent += piece.byteLength;
      onSent(sent);
      controller.enqueue(piece);
    },
  });
  const request: RequestInit & { duplex: 'half' } = {
    method: 'PUT',
    body: file.stream().pipeThrough(counted),
    duplex: 'half',
    signal,
  };
  try {
    const answer = await fetch(addressFor(file, target, projectId), request);
    return reportFor(answer.status, await answer.text());
  } catch (error) {
    if (error instanceof SendError) throw error;
    throw new SendError(signal.aborted ? cancelled : notReached);
  }
}

/** In a browser: an XMLHttpRequest, since there `fetch` does not report the progress of a body. */
async function sendByRequest({ file, target, projectId, signal, onSent }: SendFile): Promise<UploadReport> {
  const headers = await callHeaders().catch(() => {
    throw new SendError(notReached);
  });
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(new SendError(cancelled));
    const request = new XMLHttpRequest();
    request.open('PUT', addressFor(file, target, projectId));
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = (event) => onSent(event.loaded);
    request.onload = () => {
      try {
        resolve(reportFor(request.status, request.responseText));
      } catch (error) {
        reject(error as SendError);
      }
    };
    request.onerror = () => reject(new SendError(notReached));
    request.onabort = () => reject(new SendError(cancelled));
    signal.addEventListener('abort', () => request.abort());
    request.send(file);
  });
}

const cancelled: Trouble = { message: t('library.cancelled'), remedy: '' };
const notReached: Trouble = {
  message: t('library.notReached'),
  remedy: t('library.notReachedRemedy'),
};

function addressFor(file: File, target: UploadTarget, projectId: string | null): string {
  const query = new URLSearchParams({ name: file.name, ...(projectId !== null && { project: projectId }) });
  for (const [field, value] of Object.entries(target)) if (value !== undefined) query.set(field, value);
  return `/upload?${query.toString()}`;
}

function reportFor(status: number, text: string): UploadReport {
  const report = UploadReport.safeParse(parsedJson(text));
  if (status === 200 && report.success) return report.data;
  throw new SendError(refusalFor(status, text));
}

function refusalFor(status: number, text: string): Trouble {
  const told = Refused.safeParse(parsedJson(text));
  if (told.success) return { message: told.data.text, remedy: told.data.remedy, code: told.data.code };
  return {
    message: text || t('library.dailiesAnswered', { status: String(status) }),
    remedy: t('remedy.uploadAgain'),
  };
}
