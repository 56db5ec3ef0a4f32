import { mount } from 'svelte';
import './app.css';
import App from './App.svelte';
import { fetchAhead } from './lib/components/shell/views.ts';
import { changeStream } from './lib/state/changes.svelte.ts';
import { navigation } from './lib/state/navigation.svelte.ts';
import { projects } from './lib/state/projects.svelte.ts';

// Asked for before anything is drawn: all of it comes meanwhile.
changeStream.start();
projects.readSoon();
fetchAhead(navigation.place.view);

// A request leaves in a later turn than the one that made it: drawing would hold all of them up.
await new Promise((resolve) => setTimeout(resolve));

const target = document.getElementById('app');
if (target) mount(App, { target });
