import { t, saySentences, sayText, type MessageKey } from '../../contract/messages/words.ts';
import { toast as sonner } from 'svelte-sonner';
import { toTrouble } from './client.ts';
import { remedyAction, type RemedyAction } from '../../contract/failure.ts';
import { accountField, navigation } from './state/navigation.svelte.ts';

/** How long a toast with Undo stays, ms: long enough to read it and to reach for the key. */
export const WITH_ACTION_MS = 8000;

interface ToastAction {
  readonly label: string;
  readonly run: () => void;
}

/** Says in passing that something was done. Takes one action at most: Undo, or a link to the result. */
export function toast(message: string, action?: ToastAction): void {
  if (action === undefined) sonner(message);
  else sonner(message, { duration: WITH_ACTION_MS, action: { label: action.label, onClick: action.run } });
}

export async function copyText(text: string, said: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast(said);
  } catch (error) {
    toastError(error);
  }
}

export function toastProgress(message: string, stop: () => void): { show(message: string): void; close(): void } {
  const options = { duration: Number.POSITIVE_INFINITY, action: { label: t('common.stop'), onClick: stop } };
  const id = sonner(message, options);
  return { show: (text) => void sonner(text, { ...options, id }), close: () => void sonner.dismiss(id) };
}

/** How long a trouble stays, ms, unless the pointer is on it: longer than anybody reads. */
const TROUBLE_MS = 30_000;

/**
 * Says that something could not be done, and what to do next. Stays until it is closed or read.
 * `what` names the failed action, where the person has seen it as done.
 */
export function toastError(error: unknown, what?: string): void {
  const trouble = toTrouble(error);
  const button = remedyButton(trouble);
  sonner.error(what ?? sayText(trouble.message), {
    description: what === undefined ? sayText(trouble.remedy) : saySentences(trouble.message, trouble.remedy),
    duration: TROUBLE_MS,
    closeButton: true,
    ...(button && { action: { label: button.label, onClick: button.run } }),
  });
}

const sections: Readonly<Partial<Record<RemedyAction, readonly [section: string, label: MessageKey]>>> = {
  set_key: ['service', 'common.openSettings'],
  set_address: ['service', 'common.openSettings'],
  set_prices: ['prices', 'common.openPrices'],
  set_path: ['advanced', 'common.openSettings'],
};

/** The button for a failure's remedy; null when none helps, or the person is there already. `accountId`: of the account that needs it. */
export function remedyButton(told: Parameters<typeof remedyAction>[0], accountId?: string | null): ToastAction | null {
  const action = remedyAction(told);
  const place = action === null ? undefined : sections[action];
  if (place === undefined || navigation.place.view === 'settings') return null;
  const [section, label] = place;
  const detail = { section, ...(accountId !== undefined && { account: accountField(accountId) }) };
  return { label: t(label), run: () => navigation.go('settings', { detail }) };
}
