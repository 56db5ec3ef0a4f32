import { mount } from 'svelte';
import PlainList from './PlainList.svelte';

const count = Number(new URLSearchParams(location.search).get('rows'));
const rows = Array.from({ length: count }, (_none, index) => `${index}: a lighthouse in a storm, waves over the rocks`);
mount(PlainList, { target: document.body, props: { rows } });
