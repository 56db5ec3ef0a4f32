import { messageFor } from '../../contract/messages/message.ts';
import { open, type FileHandle } from 'node:fs/promises';
import type { JsonObject } from '../../contract/json.ts';
import type { MediaType } from '../../contract/kinds/spec.ts';
import type { PlannedRequest } from '../../contract/take.ts';
import { bytesForPeople } from '../../contract/units.ts';
import { ErrorWithText, textOf } from '../base/errors.ts';
import { contentTypeOf, holdsMedium } from './media-content.ts';

/** A file cannot be sent. Nothing was sent. */
export class UnusableFileError extends ErrorWithText {
  readonly code = 'unusable_file';
}

export interface SentFile {
  readonly file: FileHandle;
  readonly size: number;
  readonly type: string | null;
}

/** Opens a file to send it. `media` is the medium it must contain, if known. Throws {@link UnusableFileError}. */
export async function openSentFile(path: string, media: MediaType | null): Promise<SentFile> {
  let file: FileHandle | null = null;
  try {
    file = await open(path, 'r');
    const stat = await file.stat();
    if (!stat.isFile()) throw new UnusableFileError(messageFor('failure.notAFile', { file: path }));
    if (stat.size === 0) throw new UnusableFileError(messageFor('failure.fileEmpty', { file: path }));
    // Checks the content, not the name: the service refuses a picture whose stated type is wrong. Checks the handle
    // that is sent, because the file may have been replaced since its list was checked.
    const type = await contentTypeOf(file);
    if (media !== null && !holdsMedium(type, media))
      throw new UnusableFileError(messageFor('failure.wrongContent', { path, media }));
    return { file, size: stat.size, type };
  } catch (error) {
    await file?.close();
    if (error instanceof UnusableFileError) throw error;
    const text = messageFor('failure.fileUnreadable', { file: path, reason: textOf(error) });
    throw new UnusableFileError(text, { cause: error });
  }
}

/** The largest picture in a JSON body, bytes, because it is in memory three times before it is sent. */
export const LARGEST_INLINE = 10 * 1000 ** 2;

/** A JSON body with its pictures, which are read one after the other. Throws {@link UnusableFileError}. */
export async function withInlineFiles(body: JsonObject, files: PlannedRequest['files']): Promise<JsonObject> {
  const texts: Record<string, string[]> = {};
  for (const { field, path, as = 'base64' } of files) {
    const { file, size, type } = await openSentFile(path, 'image');
    try {
      if (size > LARGEST_INLINE) {
        const sizes = { size: bytesForPeople(size), most: bytesForPeople(LARGEST_INLINE) };
        throw new UnusableFileError(messageFor('failure.inlineTooLarge', { path, ...sizes }));
      }
      const base64 = (await file.readFile()).toString('base64');
      (texts[field] ??= []).push(as === 'base64' ? base64 : `data:${type ?? 'image/png'};base64,${base64}`);
    } finally {
      await file.close();
    }
  }
  return { ...body, ...texts };
}
