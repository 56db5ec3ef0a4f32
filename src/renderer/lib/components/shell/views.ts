import { t } from '../../../../contract/messages/words.ts';
import type { Component } from 'svelte';
import { callHeaders } from '../../client.ts';
import type { ViewName } from '../../../../contract/place.ts';

/** `views/<name>/<Name>View.svelte`, each fetched when it is first wanted. */
const found = import.meta.glob<{ default: Component }>('../../../views/*/*View.svelte');

export async function loadView(name: ViewName): Promise<Component> {
  const title = name.charAt(0).toUpperCase() + name.slice(1);
  const fetchView = found[`../../../views/${name}/${title}View.svelte`];
  if (fetchView === undefined) throw new Error(t('window.viewMissing', { view: name }));
  return (await fetchOurs(fetchView)).default;
}

export function fetchAhead(name: ViewName): void {
  loadView(name).catch(() => undefined);
}

export function fetchAllAhead(): void {
  void Promise.allSettled(Object.values(found).map(fetchOurs));
}

async function fetchOurs<Module>(fetchView: () => Promise<Module>): Promise<Module> {
  await callHeaders();
  return fetchView();
}
