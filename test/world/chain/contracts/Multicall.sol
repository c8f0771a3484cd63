// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// Makes several calls in one transaction, as multicalls, bundlers and relaying contracts do. The called contracts see this
/// contract as their caller.
contract Multicall {
    struct Call {
        address to;
        bytes data;
    }

    function run(Call[] calldata calls) external {
        for (uint256 i = 0; i < calls.length; i++) {
            (bool done,) = calls[i].to.call(calls[i].data);
            require(done, "multicall: a call failed");
        }
    }
}
