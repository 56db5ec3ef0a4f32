import { t } from '../../../../contract/messages/words.ts';
import type { LucideIcon } from '@lucide/svelte';
import { Clapperboard, Coins, FolderOpen, Globe, Images, ListVideo, Settings2, Table2 } from '@lucide/svelte';
import type { ViewName } from '../../../../contract/place.ts';
import type { Component } from 'svelte';
import { callHeaders } from '../../client.ts';

interface PlaceWords {
  readonly view: ViewName;
  readonly title: string;
  readonly keywords: string;
  readonly icon: LucideIcon;
  readonly keys: string;
  readonly needsProject: boolean;
}

const place = (
  view: ViewName,
  keywords: string,
  icon: LucideIcon,
  keys: string,
  { needsProject = false } = {},
): PlaceWords => ({ view, title: t(`place.${view}`), keywords, icon, keys, needsProject });

const ofProject = { needsProject: true };

export const places: readonly PlaceWords[] = [
  place('projects', t('window.findProjects'), FolderOpen, 'g p'),
  place('batch', t('window.findBatch'), Table2, 'g b', ofProject),
  place('queue', t('window.findQueue'), ListVideo, 'g q'),
  place('review', t('window.findReview'), Clapperboard, 'g r', ofProject),
  place('library', t('window.findLibrary'), Images, 'g l'),
  place('research', t('window.findResearch'), Globe, 'g e', ofProject),
  place('spending', t('window.findSpending'), Coins, 'g m'),
  place('settings', t('window.findSettings'), Settings2, 'g s'),
];

export const placeFor = (view: ViewName): PlaceWords | undefined => places.find((each) => each.view === view);

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
