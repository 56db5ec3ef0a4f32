import { say } from '../../../../contract/messages/words.ts';
import type { LucideIcon } from '@lucide/svelte';
import Clapperboard from '@lucide/svelte/icons/clapperboard';
import Coins from '@lucide/svelte/icons/coins';
import FolderOpen from '@lucide/svelte/icons/folder-open';
import Globe from '@lucide/svelte/icons/globe';
import Images from '@lucide/svelte/icons/images';
import ListVideo from '@lucide/svelte/icons/list-video';
import Settings2 from '@lucide/svelte/icons/settings-2';
import Table2 from '@lucide/svelte/icons/table-2';
import type { ViewName } from '../../../../contract/place.ts';

interface PlaceWords {
  readonly view: ViewName;
  readonly title: string;
  readonly keywords: string;
  readonly icon: LucideIcon;
  readonly keys: string;
  /** It shows one project, and makes no sense without. */
  readonly needsProject: boolean;
}

export const places: readonly PlaceWords[] = [
  {
    view: 'projects',
    title: say('place.projects'),
    keywords: say('window.findProjects'),
    icon: FolderOpen,
    keys: 'g p',
    needsProject: false,
  },
  {
    view: 'batch',
    title: say('place.batch'),
    keywords: say('window.findBatch'),
    icon: Table2,
    keys: 'g b',
    needsProject: true,
  },
  {
    view: 'queue',
    title: say('place.queue'),
    keywords: say('window.findQueue'),
    icon: ListVideo,
    keys: 'g q',
    needsProject: false,
  },
  {
    view: 'review',
    title: say('place.review'),
    keywords: say('window.findReview'),
    icon: Clapperboard,
    keys: 'g r',
    needsProject: true,
  },
  {
    view: 'library',
    title: say('place.library'),
    keywords: say('window.findLibrary'),
    icon: Images,
    keys: 'g l',
    needsProject: false,
  },
  {
    view: 'research',
    title: say('place.research'),
    keywords: say('window.findResearch'),
    icon: Globe,
    keys: 'g e',
    needsProject: true,
  },
  {
    view: 'spending',
    title: say('place.spending'),
    keywords: say('window.findSpending'),
    icon: Coins,
    keys: 'g m',
    needsProject: false,
  },
  {
    view: 'settings',
    title: say('place.settings'),
    keywords: say('window.findSettings'),
    icon: Settings2,
    keys: 'g s',
    needsProject: false,
  },
];

export const placeOf = (view: ViewName): PlaceWords | undefined => places.find((place) => place.view === view);
