import { say } from '../../../../contract/messages/words.ts';
import { LONGEST_SCRIPT } from '../../../../contract/prompts.ts';

/** Size of the longest script in any alphabet, bytes. */
const LARGEST = LONGEST_SCRIPT * 4;

/** The text of a file that a person dropped. Throws with words for people when it is none. */
export async function textOfFile(file: File): Promise<string> {
  if (file.size > LARGEST) throw new Error(say('tools.fileTooLarge', { name: file.name }));
  const text = decoded(new Uint8Array(await file.arrayBuffer()));
  if (text.includes('\0')) throw new Error(say('tools.notTextFile', { name: file.name }));
  return text;
}

/** UTF-8, UTF-16 with its mark, else what older Windows programs write. */
export function decoded(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
