import { mount } from 'svelte';
import App from './App.svelte';
import { blockCompositionKeys } from './lib/state/commands.svelte.ts';
import { bridge } from './lib/client.ts';
import { fetchAhead } from './lib/components/shell/places.ts';
import { changeStream } from './lib/state/changes.svelte.ts';
import { navigation } from './lib/state/navigation.svelte.ts';
import { opening } from './lib/state/opening.svelte.ts';
import { projects } from './lib/state/projects.svelte.ts';
import LockedOut from './web/LockedOut.svelte';
import { asksToEnter, enter } from './web/pass.ts';

const target = document.getElementById('app') ?? document.body;

blockCompositionKeys(window);

// A browser brings up no other page for it: only what is behind the `#` differs.
addEventListener('hashchange', () => {
  if (!bridge && asksToEnter()) location.reload();
});

if (bridge || (await enter())) {
  // Asked for before anything is drawn: all of it comes in the time that takes.
  changeStream.start();
  projects.readSoon();
  void opening.begin();
  fetchAhead(navigation.place.view);
  // A request leaves in a later turn than the one that made it: drawing would hold all of them up.
  await new Promise((resolve) => setTimeout(resolve));
  mount(App, { target });
} else {
  mount(LockedOut, { target });
}
