// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Wallet} from "./Wallet.sol";

/// Makes wallets at addresses that are known before they exist, as EIP-6492 signatures need.
contract WalletFactory {
    function make(address owner, bytes32 salt) external returns (address) {
        return address(new Wallet{salt: salt}(owner));
    }

    function addressOf(address owner, bytes32 salt) external view returns (address) {
        bytes32 codeHash = keccak256(abi.encodePacked(type(Wallet).creationCode, abi.encode(owner)));
        return address(uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), address(this), salt, codeHash)))));
    }
}
