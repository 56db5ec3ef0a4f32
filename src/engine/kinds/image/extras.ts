import type { Json, JsonObject } from '../../../contract/json.ts';
import { TakeButton, type TakeExtras } from '../../../contract/take-extras.ts';
import { isObject, textOf } from '../../api/answer.ts';

const MOST_BUTTONS = 100;
const LONGEST_PROMPT = 20_000;

/** Buttons and final prompts of a job-style answer. The fields of a button are not shown: they are read under their usual names. */
export function readJobExtras(answer: JsonObject): TakeExtras | null {
  const record = [answer, answer.data, answer.result].find(
    (each) => isObject(each) && (each.buttons ?? each.properties),
  );
  if (!isObject(record)) return null;
  const { buttons, properties, prompt } = record;
  const made = isObject(properties) ? properties : {};
  const prompts = ['finalPrompt', 'finalZhPrompt'].flatMap((name) => {
    const text = textOf(made[name])?.trim().slice(0, LONGEST_PROMPT);
    return text === undefined || text === prompt ? [] : [{ name, text }];
  });
  const extras = {
    buttons: (Array.isArray(buttons) ? buttons : []).slice(0, MOST_BUTTONS).flatMap(readButton),
    prompts,
  };
  return extras.buttons.length + extras.prompts.length === 0 ? null : extras;
}

function readButton(button: Json): TakeButton[] {
  if (!isObject(button)) return [];
  const customId = textOf(button.customId) ?? textOf(button.custom_id) ?? textOf(button.id);
  const label = textOf(button.label) ?? textOf(button.name) ?? textOf(button.text) ?? '';
  const emoji = textOf(isObject(button.emoji) ? button.emoji.name : button.emoji) ?? '';
  const { success, data } = TakeButton.safeParse({ customId, label, emoji });
  return success ? [data] : [];
}
