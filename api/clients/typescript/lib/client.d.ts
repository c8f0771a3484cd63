import { type Operation } from "../operations.js";
import type { CallOptions, ClientOptions } from "./options.ts";
import type { Sent } from "./sent.ts";
/**
 * Calls operations of a service: sends again what was refused for now, makes problems errors, verifies receipts and refuses
 * stale data. `Tidewire` has a method for each operation.
 */
export declare class Client {
    #private;
    constructor(options: ClientOptions);
    /** The options of the client, to make another one that differs: `new Tidewire({ ...client.options, token })`. */
    get options(): ClientOptions;
    /** Calls an operation. The methods of `Tidewire` call it with the types of the contract. */
    protected call<Reply>(operation: Operation, sent: Sent, options?: CallOptions): Promise<Reply>;
}
