// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// A contract wallet with one owner: it sends what the owner tells it to, and accepts what the owner signs (EIP-1271).
contract Wallet {
    address public immutable owner;

    constructor(address owner_) {
        owner = owner_;
    }

    function execute(address to, bytes calldata data) external returns (bytes memory) {
        require(msg.sender == owner, "wallet: caller is not the owner");
        (bool done, bytes memory answer) = to.call(data);
        require(done, "wallet: the call failed");
        return answer;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        if (signature.length != 65) return 0xffffffff;
        address recovered =
            ecrecover(hash, uint8(signature[64]), bytes32(signature[0:32]), bytes32(signature[32:64]));
        return recovered != address(0) && recovered == owner ? this.isValidSignature.selector : bytes4(0xffffffff);
    }
}
