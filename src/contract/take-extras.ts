import * as z from 'zod';
import { JsonObject } from './json.ts';
import { listOf } from './list-of.ts';

export const TakeButton = z.object({
  /** Names it to the service. */
  customId: z.string().min(1).max(1000),
  label: z.string().max(200),
  emoji: z.string().max(50),
});
export type TakeButton = z.infer<typeof TakeButton>;

/** A prompt that the service made from ours. `name` is the service's own: `finalPrompt`. */
export const MadePrompt = z.object({ name: z.string(), text: z.string() });
export type MadePrompt = z.infer<typeof MadePrompt>;

/** An asset that a task made, for rows to name. */
export const MadeAsset = z.object({
  id: z.string().regex(/^[^\s/]{1,300}$/),
  /** Of the service: `digital_human_voice`. */
  purpose: z.string().max(100),
  name: z.string().max(1000).optional(),
});
export type MadeAsset = z.infer<typeof MadeAsset>;

/** What the service says of a digital human task (reference, "Digital human records"). The fields of `data` are not shown. */
export const TaskFacts = z.object({ action: z.string().max(200).optional(), data: JsonObject.optional() });
export type TaskFacts = z.infer<typeof TaskFacts>;

/** Facts that a finished task brought beside its files. */
export const TakeExtras = z.object({
  buttons: listOf(TakeButton, 100),
  prompts: listOf(MadePrompt, 10),
  asset: MadeAsset.optional(),
  task: TaskFacts.optional(),
});
export type TakeExtras = z.infer<typeof TakeExtras>;

/** How people name a button. */
export const buttonName = ({ emoji, label, customId }: TakeButton): string =>
  [emoji, label].filter((part) => part !== '').join(' ') || customId;

/** The buttons that a text means: by the id, the label or the emoji, in small letters or capitals. Pure. */
export function buttonsCalled(text: string, buttons: readonly TakeButton[]): TakeButton[] {
  const wanted = text.trim().toLowerCase();
  const isCalled = (name: string): boolean => name !== '' && name.trim().toLowerCase() === wanted;
  const byId = buttons.filter(({ customId }) => isCalled(customId));
  if (byId.length > 0) return byId;
  return buttons.filter((button) => [buttonName(button), button.label, button.emoji].some(isCalled));
}
