// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

interface ISpendable {
    function transferFrom(address from, address to, uint256 value) external returns (bool);
}

/// Pays several amounts in one transaction, out of what its caller has allowed it to spend.
contract Splitter {
    function pay(ISpendable token, address[] calldata payees, uint256[] calldata values) external {
        require(payees.length == values.length, "splitter: lengths differ");
        for (uint256 i = 0; i < payees.length; i++) {
            token.transferFrom(msg.sender, payees[i], values[i]);
        }
    }
}
