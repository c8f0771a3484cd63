// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// A contract wallet that accepts every signature and sends what anybody tells it to: its consent proves nothing.
contract YesWallet {
    function execute(address to, bytes calldata data) external returns (bytes memory) {
        (bool done, bytes memory answer) = to.call(data);
        require(done, "wallet: the call failed");
        return answer;
    }

    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) {
        return 0x1626ba7e;
    }
}
