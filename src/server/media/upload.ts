import { messageFor } from '../../contract/messages/message.ts';
import { bytesForPeople } from '../../contract/units.ts';
import type { Refused } from '../../contract/failure.ts';
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { UploadTarget } from '../../contract/asset.ts';
import { safeName } from '../../engine/downloads/take-path.ts';
import { DailiesError, toMessage } from '../../engine/base/errors.ts';
import type { Services } from '../services.ts';
import { plain } from './answers.ts';

const MAX_BYTES = 4 * 1000 ** 3;

class TooLargeError extends Error {}

/**
 * `PUT /upload?name=…&project=…` with the fields of `UploadTarget`: takes a file from the window, keeps it in the data
 * folder under the hash of its content, and brings it into the library. Answers with the library's report as JSON.
 */
export async function takeUpload(request: Request, { engine, host }: Services, folder: string): Promise<Response> {
  if (request.method !== 'PUT') return plain(405, '', { allow: 'PUT' });
  const { name, project, ...fields } = Object.fromEntries(new URL(request.url).searchParams);
  const target = UploadTarget.safeParse(fields);
  if (!target.success || name === undefined || name === '')
    return plain(400, 'Say the name of the file, and its target.');
  if (!request.body) return plain(400, 'There is no file.');
  try {
    const path = await keep(request.body, folder, name);
    const library = engine.views.library(project);
    const [report] = await library.upload([path], target.data, request.signal);
    return Response.json(report, { headers: { 'cache-control': 'no-store' } });
  } catch (error) {
    if (error instanceof TooLargeError) {
      const text = messageFor('failure.uploadTooLarge', { most: bytesForPeople(MAX_BYTES) });
      return refused(413, { code: 'too_large', text, remedy: messageFor('remedy.saveSmaller') });
    }
    if (error instanceof DailiesError)
      return refused(409, { code: error.code, text: error.text, remedy: error.remedy });
    host.logger.error('An upload failed in a way it should not', { reason: toMessage(error) });
    const text = messageFor('failure.uploadFailed');
    return refused(500, { code: 'internal', text, remedy: messageFor('remedy.uploadAgain') });
  }
}

const refused = (status: number, told: Refused): Response =>
  Response.json(told, { status, headers: { 'cache-control': 'no-store' } });

/** Writes the file as it arrives and returns where it lies: a folder named by its hash, under its own name. */
async function keep(body: NonNullable<Request['body']>, folder: string, name: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const arriving = join(folder, `.${randomUUID()}.part`);
  const hash = createHash('sha256');
  let bytes = 0;
  const measure = new Transform({
    transform(piece: Buffer, _encoding, done) {
      bytes += piece.length;
      hash.update(piece);
      done(bytes > MAX_BYTES ? new TooLargeError() : null, piece);
    },
  });
  try {
    const source = Readable.fromWeb(body as ReadableStream<Uint8Array>);
    await pipeline(source, measure, createWriteStream(arriving, { flags: 'wx', mode: 0o600 }));
    const place = join(folder, hash.digest('hex'));
    await mkdir(place, { recursive: true, mode: 0o700 });
    const path = join(place, fileName(name));
    await rename(arriving, path);
    return path;
  } catch (error) {
    await rm(arriving, { force: true });
    throw error;
  }
}

function fileName(name: string): string {
  const [, stem = name, extension = ''] = /^(.*)\.([A-Za-z0-9]{1,8})$/s.exec(name) ?? [];
  return `${safeName(stem, 'file')}${extension === '' ? '' : `.${extension.toLowerCase()}`}`;
}
