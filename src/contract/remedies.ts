import type { MessageKey, Text } from './messages/message.ts';

/** What a person does about something, where a window has a place for it and a terminal a command. */
export type RemedyAction = 'set_key' | 'set_address' | 'set_prices' | 'set_path' | 'add_credit';

const ofRemedy: Readonly<Partial<Record<MessageKey, RemedyAction>>> = {
  'remedy.setKey': 'set_key',
  'remedy.setKeyAndRunAgain': 'set_key',
  'remedy.setKeyAndUploadAgain': 'set_key',
  'remedy.setAddressFirst': 'set_address',
  'cap.noPricesRemedy': 'set_prices',
  'remedy.setPath': 'set_path',
  'remedy.setPathNamed': 'set_path',
  'remedy.addCredit': 'add_credit',
  'remedy.addCreditAndRunAgain': 'add_credit',
};

/** By the code, for failures of earlier versions whose remedy is a text. */
const ofCode: Readonly<Record<string, RemedyAction>> = {
  key_missing: 'set_key',
  key_refused: 'set_key',
  http_401: 'set_key',
  no_key: 'set_key',
  bad_key: 'set_key',
  bad_address: 'set_address',
  no_price: 'set_prices',
  path_not_set: 'set_path',
  no_credit: 'add_credit',
};

/** Null where no button and no command helps. */
export function remedyAction({ code, remedy }: { readonly code?: string; readonly remedy: Text }): RemedyAction | null {
  if (typeof remedy !== 'string' && Object.hasOwn(ofRemedy, remedy.key)) return ofRemedy[remedy.key] ?? null;
  return code !== undefined && Object.hasOwn(ofCode, code) ? (ofCode[code] ?? null) : null;
}
