export { findKept } from './store';
