// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

interface IReceivable {
    function transfer(address to, uint256 value) external returns (bool);
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external;
}

/// A forwarding service: it takes an authorized payment to itself and hands it on, so that on the chain the service is the
/// one who pays.
contract Relayer {
    function forward(
        IReceivable token,
        address from,
        address to,
        uint256 value,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        token.receiveWithAuthorization(from, address(this), value, 0, validBefore, nonce, v, r, s);
        token.transfer(to, value);
    }
}
