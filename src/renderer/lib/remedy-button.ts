import { t, type MessageKey } from '../../contract/messages/words.ts';
import { remedyAction, type RemedyAction } from '../../contract/failure.ts';
import { navigation } from './state/navigation.svelte.ts';

interface RemedyButton {
  readonly label: string;
  readonly run: () => void;
}

const sections: Readonly<Partial<Record<RemedyAction, readonly [section: string, label: MessageKey]>>> = {
  set_key: ['service', 'common.openSettings'],
  set_address: ['service', 'common.openSettings'],
  set_prices: ['prices', 'common.openPrices'],
  set_path: ['advanced', 'common.openSettings'],
};

/** The button for a failure's remedy; null when none helps, or the person is there already. */
export function remedyButton(told: Parameters<typeof remedyAction>[0]): RemedyButton | null {
  const action = remedyAction(told);
  const place = action === null ? undefined : sections[action];
  if (place === undefined || navigation.place.view === 'settings') return null;
  const [section, label] = place;
  return { label: t(label), run: () => navigation.go('settings', { detail: { section } }) };
}
