import type { Services } from '../../../../services';
import { isWithinBudget, spentToday } from '../budget';
import { moveOperation } from '../end';
import { freeNonce, mostOf, unsignedOf } from '../nonces/rules';
import { insertAttempt, keepSigned, lockNonces, takenNonces } from '../nonces/store';
import type { GasOperation, WaitsFor } from '../record';
import { findOperation, updateOperation } from '../store';
