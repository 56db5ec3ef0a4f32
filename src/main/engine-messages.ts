import * as z from 'zod';
import { languages } from '../contract/messages/languages.ts';
import { Text } from '../contract/messages/message.ts';

/** The code of a trouble that ends by itself: another engine works on the folder. */
export const IN_USE = 'data_folder_in_use';

export const EngineTrouble = z.object({
  /** `data_folder_in_use`, `newer_database`, `ENOSPC`, …; `internal` for a defect of ours. */
  code: z.string(),
  message: Text,
  remedy: Text,
});
export type EngineTrouble = z.infer<typeof EngineTrouble>;

export const ToEngine = z.discriminatedUnion('type', [
  /** Start on this data folder. The port leads to what main does for the engine. */
  z.object({ type: z.literal('start'), dataFolder: z.string(), systemLanguage: z.enum(languages) }),
  z.object({ type: z.literal('serve') }),
  z.object({ type: z.literal('reader'), id: z.int() }),
  z.object({ type: z.literal('readerEnded'), id: z.int() }),
  z.object({ type: z.literal('stop') }),
]);
export type ToEngine = z.infer<typeof ToEngine>;

export const FromEngine = z.discriminatedUnion('type', [
  z.object({ type: z.literal('running'), socket: z.string() }),
  /** It could not start. The process waits for the order to start again. */
  z.object({ type: z.literal('failed'), trouble: EngineTrouble }),
  /** It needs a process that reads files. Only main can start one. */
  z.object({ type: z.literal('startReader'), id: z.int(), entry: z.enum(['workbook-reader.js', 'facts-reader.js']) }),
  z.object({ type: z.literal('endReader'), id: z.int() }),
]);
export type FromEngine = z.infer<typeof FromEngine>;
export type ReaderEntry = Extract<FromEngine, { type: 'startReader' }>['entry'];
