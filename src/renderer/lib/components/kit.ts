/** The elements that views are made of, each in a file of its own. */
export { default as ActionDialog } from './ActionDialog.svelte';
export { default as Button } from './Button.svelte';
export { default as CopyId } from './CopyId.svelte';
export { default as Dialog } from './Dialog.svelte';
export { default as EmptyState } from './EmptyState.svelte';
export { default as ErrorNote } from './ErrorNote.svelte';
export { default as FactList } from './FactList.svelte';
export { default as IconButton } from './IconButton.svelte';
export { default as Kbd } from './Kbd.svelte';
export { default as LongField } from './LongField.svelte';
export { default as Select } from './Select.svelte';
export { default as Skeleton } from './Skeleton.svelte';
export { default as StateMark } from './StateMark.svelte';
export { default as Switch } from './Switch.svelte';
export { default as TextField } from './TextField.svelte';
export { default as ToneMark } from './ToneMark.svelte';
export { default as Tooltip } from './Tooltip.svelte';
